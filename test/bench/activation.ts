import * as esbuild from 'esbuild';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { launchBrowser, openPage } from '../support/browser.ts';
import { eventually, HANG_MS } from '../support/eventually.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { startServer } from '../support/vscodeServer.ts';
import { median, milliseconds, type Row } from './table.ts';

const root = join(import.meta.dirname, '../..');
const ROUNDS = 12;
/** The first extension of a host pays for what the host itself does only once. */
const [FIRST, EMPTY, NANCY] = ['bench.first', 'bench.empty', 'bench.nancy'] as const;
const Times = z.record(z.string(), z.number());
const Manifest = z.looseObject({ engines: z.unknown() });

/** What each window pays for Nancy, and how large its bundles are. */
export async function benchActivation(): Promise<Row[]> {
	return [await activation(), ...sizes()];
}

/**
 * `activate()` of Nancy against that of an extension with an empty one, side by side in each of several fresh extension hosts, in both
 * orders. The least time shows what an idle machine takes. The ratio is of medians, because a longer activation meets other work more often.
 */
async function activation(): Promise<Row> {
	await using folder = tempFolder('nb-');
	const server = { folder: folder.file('s') };
	installEmpty(server.folder, FIRST);
	installEmpty(server.folder, EMPTY);
	installNancy(server.folder);
	const probe = await bundledProbe(folder.file('probe.js'));
	// A window runs a probe only beside an extension from its folder.
	const beside = writeExtension(folder.file('beside'), 'bench.beside', {});
	mkdirSync(folder.file('project'));
	const result = folder.file('result.json');
	const running = await startServer({ ...server, smokeTestDriver: true });
	const browser = await launchBrowser();
	const times: z.infer<typeof Times>[] = [];
	try {
		for (let round = 0; round < ROUNDS; round++) {
			const order = round % 2 === 0 ? [FIRST, EMPTY, NANCY] : [FIRST, NANCY, EMPTY];
			rmSync(result, { force: true });
			const { context } = await openPage(browser, running, {
				folder: folder.file('project'),
				development: [beside],
				tests: probe,
				env: { NANCY_BENCH_EXTENSIONS: order.join(' '), NANCY_BENCH_RESULT: result },
			});
			times.push(await eventually('activations', () => readTimes(result), { timeoutMs: 3 * HANG_MS }));
			await context.close();
		}
	} finally {
		await browser.close();
		await running.stop();
	}
	const of = (name: string) => times.map(each => each[name] ?? Number.NaN);
	const [bare, own] = [median(of(EMPTY)), median(of(NANCY))];
	const least = (name: string) => milliseconds(Math.min(...of(name)));
	return {
		what: 'activation',
		value: `p50 ${milliseconds(own)}, least ${least(NANCY)}`,
		against: `empty extension p50 ${milliseconds(bare)}, least ${least(EMPTY)}`,
		ratio: own / bare,
		goal: '<= 1.2x',
		met: own / bare <= 1.2,
	};
}

async function bundledProbe(outfile: string): Promise<string> {
	const entry = join(root, 'test/host/activationProbe.ts');
	const shape = { bundle: true, platform: 'node', format: 'cjs' } as const;
	await esbuild.build({ entryPoints: [entry], outfile, external: ['vscode'], ...shape });
	return outfile;
}

function installEmpty(server: string, id: string): void {
	const folder = writeExtension(extensionFolder(server, id), id, { main: './main.js', activationEvents: ['onUri'] });
	writeFileSync(join(folder, 'main.js'), 'exports.activate = () => {};');
}

/** Nancy as packaged, but that it starts when it is told to. */
function installNancy(server: string): void {
	const folder = extensionFolder(server, NANCY);
	for (const part of ['dist', 'l10n', 'media', 'package.nls.json']) {
		cpSync(join(root, part), join(folder, part), { recursive: true });
	}
	writeExtension(folder, NANCY, { ...readManifest(), activationEvents: ['onUri'] });
}

/** A server takes every extension that its folder holds at its first start. */
function extensionFolder(server: string, id: string): string {
	return join(server, 'extensions', `${id}-1.0.0`);
}

function writeExtension(folder: string, id: string, manifest: Record<string, unknown>): string {
	const [publisher, name] = id.split('.');
	const { engines } = readManifest();
	mkdirSync(folder, { recursive: true });
	const text = JSON.stringify({ engines, ...manifest, name, publisher, version: '1.0.0' });
	writeFileSync(join(folder, 'package.json'), text);
	return folder;
}

function readManifest(): z.infer<typeof Manifest> {
	return Manifest.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
}

function readTimes(file: string): z.infer<typeof Times> | undefined {
	return existsSync(file) ? Times.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}

function sizes(): Row[] {
	return ['dist', 'media'].flatMap(folder =>
		readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
			.filter(name => name.endsWith('.js'))
			.map(name => ({
				what: `size of ${folder}/${name}`,
				value: `${(statSync(join(root, folder, name)).size / 1024).toFixed(1)} KB`,
				against: '',
				goal: '',
			})),
	);
}
