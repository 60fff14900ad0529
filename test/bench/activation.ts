import * as esbuild from 'esbuild';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { launchBrowser, openPage } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { tempFolder } from '../support/tempFolder.ts';
import { startServer } from '../support/vscodeServer.ts';
import { median, milliseconds, type Row } from './table.ts';

const root = join(import.meta.dirname, '../..');
const ROUNDS = 9;
const Timed = z.object({ milliseconds: z.number() });

/** What each window pays for Nancy, and how large its bundles are. */
export async function benchActivation(): Promise<Row[]> {
	return [await activation(), ...sizes()];
}

/** `activate()` of Nancy against that of an extension with an empty one, each in several fresh extension hosts. */
async function activation(): Promise<Row> {
	await using folder = tempFolder('nb-');
	const empty = folder.file('empty');
	mkdirSync(empty);
	const { engines } = z
		.looseObject({ engines: z.unknown() })
		.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
	const manifest = { name: 'empty', publisher: 'bench', version: '1.0.0', engines, main: './main.js' };
	writeFileSync(join(empty, 'package.json'), JSON.stringify({ ...manifest, activationEvents: ['onUri'] }));
	writeFileSync(join(empty, 'main.js'), 'exports.activate = () => {};');
	const nancy = copyOfNancy(folder.file('nancy'));
	const probe = folder.file('probe.js');
	await esbuild.build({
		entryPoints: [join(root, 'test/host/activationProbe.ts')],
		outfile: probe,
		bundle: true,
		platform: 'node',
		format: 'cjs',
		external: ['vscode'],
	});
	mkdirSync(folder.file('project'));
	const server = await startServer({ folder: folder.file('s'), smokeTestDriver: true });
	const browser = await launchBrowser();
	const timeOf = async (extension: string, name: string): Promise<number> => {
		const result = folder.file('result.json');
		rmSync(result, { force: true });
		const { context } = await openPage(browser, server, {
			folder: folder.file('project'),
			development: [extension],
			tests: probe,
			env: { NANCY_BENCH_EXTENSION: `bench.${name}`, NANCY_BENCH_RESULT: result },
		});
		const { milliseconds } = await eventually('an activation', () => readTime(result), { timeoutMs: 60_000 });
		await context.close();
		return milliseconds;
	};
	const times = { empty: [] as number[], nancy: [] as number[] };
	try {
		for (let round = -1; round < ROUNDS; round++) {
			const [empties, own] = [await timeOf(empty, 'empty'), await timeOf(nancy, 'nancy')];
			if (round < 0) continue;
			times.empty.push(empties);
			times.nancy.push(own);
		}
	} finally {
		await browser.close();
		await server.stop();
	}
	const [bare, own] = [median(times.empty), median(times.nancy)];
	return {
		what: 'activation',
		value: milliseconds(own),
		against: `empty extension ${milliseconds(bare)}`,
		ratio: own / bare,
		goal: '<= 1.5x',
		met: own / bare <= 1.5,
	};
}

/** Nancy as packaged, but that it starts when it is told to. */
function copyOfNancy(folder: string): string {
	for (const part of ['dist', 'l10n', 'media', 'package.nls.json']) {
		cpSync(join(root, part), join(folder, part), { recursive: true });
	}
	const manifest = z
		.looseObject({ main: z.string() })
		.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
	const changed = { ...manifest, name: 'nancy', publisher: 'bench', activationEvents: ['onUri'] };
	writeFileSync(join(folder, 'package.json'), JSON.stringify(changed));
	return folder;
}

function readTime(file: string): z.infer<typeof Timed> | undefined {
	return existsSync(file) ? Timed.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
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
