import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { detectAgent, findNode } from '../../../src/process/detect.ts';
import type { Driver } from '../../../src/core/driver/driver.ts';
import { fakeDriver } from '../../support/fakeDriver.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';
import { inEnglish } from '../../support/inEnglish.ts';

let folder: TempFolder;
let bin: string;
let env: Record<string, string>;

beforeEach(() => {
	folder = tempFolder('nancy detect ');
	bin = folder.file("it's bin");
	mkdirSync(bin);
	env = { PATH: `relative:${bin}:/usr/bin:/bin`, HOME: folder.path, SECRET_MARK: '1' };
});
afterEach(() => folder.remove());

const driver: Driver = {
	...fakeDriver,
	command: 'heron',
	oldestVersion: [2, 1, 0],
	installHint: 'npm i heron',
	foreignVariables: ['SECRET_MARK'],
};
const program = (body: string, name = 'heron') => {
	const file = join(bin, name);
	writeFileSync(file, `#!/bin/sh\n${body}\n`);
	chmodSync(file, 0o755);
	return file;
};
const says = (version: string) => `echo "$1 ${version} (Heron)"`;

describe('detecting an agent', () => {
	it('finds it on the PATH and asks for its version', async () => {
		const executable = program(says('2.1.329'));
		expect(await detectAgent(driver, undefined, env, 'shell')).toEqual({
			found: true,
			executable,
			version: [2, 1, 329],
		});
	});

	it('takes the configured one instead, also below the home folder', async () => {
		program(says('2.1.1'));
		const other = program(says('2.1.2'), 'other');
		expect(await detectAgent(driver, other, env, 'shell')).toMatchObject({ executable: other, version: [2, 1, 2] });
		const home = `~/${other.slice(dirname(bin).length + 1)}`;
		expect(await detectAgent(driver, home, env, 'shell')).toMatchObject({ executable: other });
	});

	it.each([
		['is not there', undefined, 'no "heron" on the PATH', 'missing'],
		['is too old', says('2.0.9'), 'is version 2.0.9; Nancy needs 2.1.0', 'too-old'],
		['says nothing of use', 'echo hello', 'does not tell its version', 'broken'],
		['fails', 'echo broken >&2; exit 3', 'does not run', 'broken'],
		['never stops talking', 'exec yes 1.2', 'does not run', 'broken'],
		['is ended by somebody', 'kill -9 $$', 'does not run', 'broken'],
		['is garbage', '\0\x01', 'does not', 'broken'],
	])('says why not when it %s', async (_, body, reason, obstacle) => {
		if (body !== undefined) program(body);
		const found = await inEnglish(detectAgent(driver, undefined, env, 'shell'));
		const why = { obstacle, reason: expect.stringContaining(reason), hint: 'npm i heron' };
		expect(found).toMatchObject({ found: false, ...why });
	});

	it('says of one that does not answer in time that one may try again, not how to install it, and asks again', async () => {
		const file = program(`if [ -e '${folder.file('ready')}' ]; then ${says('2.1.5')}; else exec sleep 1000; fi`);
		expect(await inEnglish(detectAgent(driver, undefined, env, 'shell', 200))).toEqual({
			found: false,
			obstacle: 'unanswered',
			reason: `${file} did not answer within 0.2 seconds; try again`,
			hint: '',
		});
		writeFileSync(folder.file('ready'), '');
		expect(await detectAgent(driver, undefined, env, 'shell')).toMatchObject({ found: true, version: [2, 1, 5] });
	});

	it('passes over folders, files that may not be run, and links to nothing', async () => {
		const before = folder.file('before');
		mkdirSync(join(before, 'a', 'heron'), { recursive: true });
		mkdirSync(join(before, 'b'));
		writeFileSync(join(before, 'b', 'heron'), '');
		mkdirSync(join(before, 'c'));
		symlinkSync('/nowhere', join(before, 'c', 'heron'));
		const executable = program(says('2.1.3'));
		const PATH = [...['a', 'b', 'c'].map(name => join(before, name)), env['PATH']].join(':');
		expect(await detectAgent(driver, undefined, { ...env, PATH }, 'shell')).toMatchObject({ executable });
	});

	it('asks once for each state of the program, in no workspace, without marks of another agent', async () => {
		const log = folder.file('log');
		const file = program(
			`echo "asked $NANCY_HOOKS $SECRET_MARK$NODE_COMPILE_CACHE. $(pwd)" >>'${log}'; ${says('2.1.4')}`,
		);
		await detectAgent(driver, undefined, { ...env, NODE_COMPILE_CACHE: '/data/nancy/runtime/1/cache' }, 'shell');
		await detectAgent(driver, undefined, env, 'shell');
		const { readFileSync } = await import('node:fs');
		expect(readFileSync(log, 'utf8')).toBe('asked off . /\n');
		utimesSync(file, new Date(), new Date(Date.now() + 5000));
		await detectAgent(driver, undefined, env, 'shell');
		expect(readFileSync(log, 'utf8')).toBe('asked off . /\nasked off . /\n');
	});
});

describe('finding a Node for the hooks', () => {
	const editor = { executable: '/opt/editor/code', isElectron: true };

	it('stays with the Node that runs this', async () => {
		const node = { executable: process.execPath, isElectron: false };
		expect(await findNode(env, node)).toEqual(node);
	});

	it.each([
		['v20.0.0', true],
		['v24.1.0', true],
		['v18.19.1', false],
	])('takes %s on the PATH: %s; else the editor itself', async (version, isTaken) => {
		const executable = program(`echo ${version}`, 'node');
		expect(await findNode({ PATH: bin }, editor)).toEqual(isTaken ? { executable, isElectron: false } : editor);
	});

	it('takes the editor where there is no Node, or one that does not run', async () => {
		expect(await findNode({ PATH: bin }, editor)).toEqual(editor);
		program('exit 1', 'node');
		expect(await findNode({ PATH: bin }, editor)).toEqual(editor);
	});
});
