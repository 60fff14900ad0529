import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metafile } from 'esbuild';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

interface Package {
	name: string;
	version: string;
}

/** Licences that are in a package's repository, and not in the package. */
const LEFT_OUT: Readonly<Record<string, string>> = { '@xterm/headless': 'scripts/licences/xterm-headless.txt' };

/** A package's folder in the path of an input, from the last `node_modules` on. */
const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/**
 * The licences of all packages that are part of the bundles, for whoever gets a copy of these.
 * @throws where a package brings no licence along
 */
export function thirdPartyNotices(metafiles: readonly Pick<Metafile, 'inputs'>[]): string {
	const inputs = metafiles.flatMap(({ inputs }) => Object.keys(inputs));
	const folders = new Set(inputs.flatMap(input => PACKAGE.exec(input)?.[1] ?? []));
	return [
		'Nancy contains these packages. Their licences hold for them.\n',
		...[...folders].sort().map(folder => {
			const { name, version }: Package = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
			const [own] = globSync('{LICENSE,LICENCE,license}*', { cwd: join(root, folder) });
			const licence = own === undefined ? LEFT_OUT[name] : join(folder, own);
			if (licence === undefined) throw new Error(`${name} ${version} has no licence in ${folder}`);
			return `${'-'.repeat(80)}\n${name} ${version}\n\n${readFileSync(join(root, licence), 'utf8').trim()}\n`;
		}),
	].join('\n');
}
