/** `node makeImage.mjs ROOT NAME OUT.tar [ENTRYPOINT...]` makes an OCI image of one layer from a folder. Needs no registry and no Docker. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [root, name, out, ...entrypoint] = process.argv.slice(2);
const folder = `${out}.d`;
rmSync(folder, { recursive: true, force: true });
mkdirSync(join(folder, 'blobs/sha256'), { recursive: true });

function put(mediaType, bytes) {
	const hash = createHash('sha256').update(bytes).digest('hex');
	writeFileSync(join(folder, 'blobs/sha256', hash), bytes);
	return { mediaType, digest: `sha256:${hash}`, size: bytes.length };
}
const putJson = (mediaType, value) => put(mediaType, Buffer.from(JSON.stringify(value)));

const layerFile = join(folder, 'layer.tar');
execFileSync('tar', ['--numeric-owner', '--owner=0', '--group=0', '-C', root, '-cf', layerFile, '.']);
const layer = put('application/vnd.oci.image.layer.v1.tar', readFileSync(layerFile));
rmSync(layerFile);
const config = putJson('application/vnd.oci.image.config.v1+json', {
	architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
	os: 'linux',
	config: { Env: ['PATH=/usr/bin:/bin'], ...(entrypoint.length > 0 && { Entrypoint: entrypoint }) },
	rootfs: { type: 'layers', diff_ids: [layer.digest] },
});
const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const manifest = putJson(manifestType, { schemaVersion: 2, mediaType: manifestType, config, layers: [layer] });
const annotations = {
	'io.containerd.image.name': name,
	'org.opencontainers.image.ref.name': name.slice(name.lastIndexOf(':') + 1),
};
writeFileSync(
	join(folder, 'index.json'),
	JSON.stringify({ schemaVersion: 2, manifests: [{ ...manifest, annotations }] }),
);
writeFileSync(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
execFileSync('tar', ['-C', folder, '-cf', out, 'oci-layout', 'index.json', 'blobs']);
rmSync(folder, { recursive: true });
