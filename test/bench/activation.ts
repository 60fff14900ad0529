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
/** In a folder with a `.nancy`, for one figure. */
const USED_ROUNDS = 4;
/** The first extensions of a host pay for what the host itself does only once. */
const FIRST = ['bench.first', 'bench.second'];
const [EMPTY, TEMPLATE, NANCY] = ['bench.empty', 'bench.template', 'bench.nancy'] as const;
const Measured = z.record(z.string(), z.object({ took: z.number(), cpu: z.number(), block: z.number() }));
type Measured = z.infer<typeof Measured>;
const Manifest = z.looseObject({ engines: z.unknown() });

/** What each window pays for Nancy, and how large its bundles are. */
export async function benchActivation(): Promise<Row[]> {
	return [...(await activation()), ...sizes()];
}

/**
 * `activate()` of Nancy against that of the extension that VS Code's generator (`yo code`) makes, and of one that does nothing, side by side
 * in each of several fresh extension hosts, in all orders. The least time and the processor time of the host's thread show what an idle
 * machine takes.
 */
async function activation(): Promise<Row[]> {
	await using folder = tempFolder('nb-');
	const server = { folder: folder.file('s') };
	installEmpty(server.folder, EMPTY);
	for (const id of [...FIRST, TEMPLATE]) installTemplate(server.folder, id);
	installNancy(server.folder);
	const probe = await bundledProbe(folder.file('probe.js'));
	// A window runs a probe only beside an extension from its folder.
	const beside = writeExtension(folder.file('beside'), 'bench.beside', {});
	const [unused, used] = [folder.file('unused'), folder.file('used')];
	for (const each of [unused, join(used, '.nancy')]) mkdirSync(each, { recursive: true });
	const result = folder.file('result.json');
	const running = await startServer({ ...server, smokeTestDriver: true });
	const browser = await launchBrowser();
	const measure = async (project: string, rounds: number) => {
		const all: Measured[] = [];
		for (let round = 0; round < rounds; round++) {
			rmSync(result, { force: true });
			const { context } = await openPage(browser, running, {
				folder: project,
				development: [beside],
				tests: probe,
				env: { NANCY_BENCH_EXTENSIONS: [...FIRST, ...orderOf(round)].join(' '), NANCY_BENCH_RESULT: result },
			});
			all.push(await eventually('activations', () => readMeasured(result), { timeoutMs: 3 * HANG_MS }));
			await context.close();
		}
		return all;
	};
	try {
		return rowsOf(await measure(unused, ROUNDS), await measure(used, USED_ROUNDS));
	} finally {
		await browser.close();
		await running.stop();
	}
}

function orderOf(round: number): string[] {
	const all = [EMPTY, TEMPLATE, NANCY];
	const turned = [...all.slice(round % 3), ...all.slice(0, round % 3)];
	return round % 2 === 0 ? turned : turned.reverse();
}

/** @param unused, used measured in a folder without and with a `.nancy` */
function rowsOf(unused: readonly Measured[], used: readonly Measured[]): Row[] {
	const of = (rounds: readonly Measured[], name: string, what: 'took' | 'cpu' | 'block') =>
		rounds.map(each => each[name]?.[what] ?? Number.NaN);
	const said = (values: readonly number[]) =>
		`p50 ${milliseconds(median(values))}, least ${milliseconds(Math.min(...values))}`;
	const row = (what: string, own: readonly number[], name: string, other: readonly number[]) => ({
		what,
		value: said(own),
		against: `${name} ${said(other)}`,
		ratio: Math.min(...own) / Math.min(...other),
		goal: '',
	});
	const against = (name: string, id: string) => ({
		took: row('activation', of(unused, NANCY, 'took'), name, of(unused, id, 'took')),
		cpu: row('activation, processor time', of(unused, NANCY, 'cpu'), name, of(unused, id, 'cpu')),
	});
	const template = against("VS Code's template", TEMPLATE);
	const empty = against('an empty activate()', EMPTY);
	const block = (what: string, rounds: readonly Measured[]) => ({
		what: `the longest block of the host after it, ${what}`,
		value: said(of(rounds, NANCY, 'block')),
		against: `VS Code's template ${said(of(rounds, TEMPLATE, 'block'))}`,
		goal: '',
	});
	return [
		{ ...template.took, goal: '<= 1.2x', met: template.took.ratio <= 1.2 },
		template.cpu,
		empty.took,
		empty.cpu,
		block('in a folder without .nancy', unused),
		block('in a folder with one', used),
	];
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

/** The command and the two calls of `yo code`. */
function installTemplate(server: string, id: string): void {
	const command = `${id}.helloWorld`;
	const contributes = { commands: [{ command, title: 'Hello World' }] };
	const manifest = { main: './main.js', activationEvents: ['onUri'], contributes };
	const folder = writeExtension(extensionFolder(server, id), id, manifest);
	const code = `const vscode = require('vscode');
function activate(context) {
	console.log('Congratulations, your extension is now active!');
	const disposable = vscode.commands.registerCommand('${command}', function () {
		vscode.window.showInformationMessage('Hello World!');
	});
	context.subscriptions.push(disposable);
}
function deactivate() {}
module.exports = { activate, deactivate };`;
	writeFileSync(join(folder, 'main.js'), code);
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

function readMeasured(file: string): Measured | undefined {
	return existsSync(file) ? Measured.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
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
