import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadAll } from '../../../src/cli/command.ts';
import { commands as loaders } from '../../../src/cli/commands.ts';
import { exitCodeMeanings } from '../../../src/cli/failure.ts';
import { runCommandLine } from '../../../src/cli/run.ts';
import { repository } from '../../support/programs.ts';
import { NancyCommand } from './nancyCommand.ts';

const commands = await loadAll(loaders);

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build();
});
afterAll(() => nancy[Symbol.asyncDispose]());

const names = commands.map(command => command.name);

describe('the nancy command line', () => {
	it('says its version', async () => {
		const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));

		expect(await nancy.start(['--version'], { cwd: '/' })).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
		expect(JSON.parse((await nancy.run(['--json', '--version'], { cwd: '/' })).stdout)).toEqual({ version });
	});

	it('lists every command and exit code in its help', async () => {
		const { code, stdout } = await nancy.run(['--help'], { cwd: '/' });

		expect(code).toBe(0);
		for (const name of names) expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
		const words = stdout.replaceAll(/ +/g, ' ');
		for (const [exitCode, meaning] of exitCodeMeanings) expect(words).toContain(` ${exitCode} ${meaning}`);
	});

	it.each(names)('explains %s with all its options, also through an incomplete line', async name => {
		const command = commands.find(candidate => candidate.name === name);
		const { code, stdout, stderr } = await nancy.run([name, '--help'], { cwd: '/' });

		expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
		expect(stdout).toMatch(new RegExp(`^Usage: nancy ${name} `, 'm'));
		for (const option of Object.keys(command?.options ?? {})) expect(stdout).toContain(`--${option}`);
		expect((await nancy.run(['help', name], { cwd: '/' })).stdout).toBe(stdout);
	});

	it.each(names)('documents %s, its options and its JSON in docs/cli.md', name => {
		const manual = readFileSync(join(repository, 'docs/cli.md'), 'utf8');
		const section = new RegExp(`^### nancy ${name}\\b.*?(?=^###? |$(?![^]))`, 'ms').exec(manual)?.[0] ?? '';

		expect(section).not.toBe('');
		for (const option of Object.keys(commands.find(command => command.name === name)?.options ?? {})) {
			expect(section).toContain(`--${option}`);
		}
	});

	it.each([
		{ args: [], says: 'Usage: nancy' },
		{ args: ['--json'], says: '{"error":{"code":"bad-usage"' },
		{ args: ['fly'], says: 'there is no command "fly"' },
		{ args: ['--fly'], says: 'there is no option --fly' },
		{ args: ['-C'], says: 'Usage: nancy' },
		{ args: ['-C', '', 'inbox'], says: '-C needs a folder' },
		{ args: ['inbox', 'a', 'b'], says: '"b" is one argument too many' },
	])('calls $args a wrong usage', async ({ args, says }) => {
		expect(await nancy.run(args, { cwd: '/' })).toEqual({
			code: 2,
			stdout: '',
			stderr: expect.stringContaining(says),
		});
	});

	it('ends quietly when the reader of its output goes first', async () => {
		const { spawnSync } = await import('node:child_process');
		const shell = spawnSync('sh', ['-c', `"${process.execPath}" "${nancy.program}" --help | true`], {
			encoding: 'utf8',
		});

		expect(shell.stderr).toBe('');
	});

	it('stays small, so that it starts fast: no locales, no editor', () => {
		const [bundle] = Object.values(nancy.metafile.outputs);
		const inputs = Object.entries(bundle?.inputs ?? {});
		const ofLocales = inputs.filter(([input]) => input.includes('/locales/'));

		expect(inputs.length).toBeGreaterThan(20);
		expect(ofLocales.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0)).toBeLessThan(1000);
		// Of each driver it has all that the list of agents and a start need (7 kB), and a part of the remote delegates and their mail, with what takes it back: 27 kB; 18 kB for the queues of clusters, five of them for those that a user names by commands; 9 kB for looks that are one call, sandboxes, and what a given-up delegate has left.
		expect(bundle?.bytes).toBeLessThan(986_000);
	});

	it('is kept by V8 with one byte for a character: all are of Latin-1', () => {
		expect(readFileSync(nancy.program, 'utf8').match(/[^\0-\xff]/gu)).toBeNull();
	});

	it.each(['--version', 'send --help', '--help', ''])('does not ask who calls for %j', async line => {
		const asked = () => {
			throw new Error('asked');
		};
		const output = { write: () => undefined };
		const code = await runCommandLine(line.split(' ').filter(Boolean), loaders, {
			program: nancy.program,
			cwd: '/',
			get env() {
				return asked();
			},
			given: {},
			stdin: Readable.from([]),
			stdout: output,
			stderr: output,
			version: '1.0.0',
			asker: asked,
		});

		expect(code).toBe(line === '' ? 2 : 0);
	});

	/** What is loaded with these files, without what they load later. */
	function loadedWith(files: readonly string[]): ReadonlySet<string> {
		const { inputs } = nancy.metafile;
		const reached = new Set(files);
		for (const file of reached) {
			for (const { path, kind } of inputs[file]?.imports ?? [])
				if (kind === 'import-statement') reached.add(path);
		}
		return reached;
	}
	const ofCommands = () => Object.keys(nancy.metafile.inputs).filter(file => file.startsWith('src/cli/commands/'));

	it('loads a command only when it is called, and what hashes when it is used', () => {
		const loaded = [...loadedWith(['src/cli/main.ts'])];

		expect(ofCommands().length).toBeGreaterThan(15);
		expect(loaded.filter(file => ofCommands().includes(file))).toEqual([]);
		expect(loaded).not.toContain('src/drivers/index.ts');
		expect(loaded).not.toContain('src/core/traffic/redact.ts');
		expect([...loadedWith(ofCommands())]).not.toContain('node:crypto');
	});

	it.each([
		'src/drivers/index.ts',
		'src/core/deployment/deploy.ts',
		'src/core/live/model.ts',
		'src/process/stopTree.ts',
	])('loads %s only for the commands that need it', heavy => {
		const loaded = loadedWith(ofCommands());

		expect(nancy.metafile.inputs[heavy]).toBeDefined();
		expect([...loaded]).not.toContain(heavy);
		expect(loaded).toContain('src/core/mailbox/mailbox.ts');
	});
});
