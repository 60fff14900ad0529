import { execFile, execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bubblewrap } from '../support/bubblewrap.ts';
import { claudeExecutable } from '../support/claudeHome.ts';
import { claudeLab, type ClaudeLab } from '../support/claudeLab.ts';
import { smallRepository } from '../support/delegateSeeds.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

const { skipped, folder: sandboxes } = bubblewrap();
const docs = readFileSync(join(import.meta.dirname, '../../docs/scale.md'), 'utf8');

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

/** The lines of the example below the one that ends so, as a shell reads them. */
function linesBelow(end: string): string {
	const [, after = ''] = docs.split(`${end}\n`);
	const indent = /^ */.exec(after)?.[0] ?? '';
	const lines = after.split('\n');
	const length = lines.findIndex(line => !line.startsWith(indent));
	return lines
		.slice(0, length)
		.map(line => line.slice(indent.length))
		.join('\n');
}

function environment({ env, home }: ClaudeLab, room: TempFolder, more: NodeJS.ProcessEnv = {}) {
	const bin = room.file('bin');
	mkdirSync(bin);
	writeFileSync(join(bin, 'nancy'), `#!/bin/sh\nexec node '${nancy.program}' "$@"\n`, { mode: 0o700 });
	const PATH = [bin, dirname(claudeExecutable), dirname(process.execPath), env['PATH']].join(delimiter);
	return { ...env, PATH, HOME: home, XDG_DATA_HOME: room.file('data'), ...more };
}

describe('a job of one’s own, as docs/scale.md says', () => {
	it(`is the first process of a container${skipped}`, { skip: skipped !== '' }, async () => {
		await using room = tempFolder();
		await using lab = await claudeLab();
		const project = smallRepository(room, { 'a.txt': 'one' });
		writeFileSync(room.file('prompt.md'), 'The door is blue. [[text:Reviewed.]]');
		const script = linesBelow('            - |')
			.replace('https://git.example/team/project.git', `file://${project}`)
			.replace('/prompts/prompt.md', room.file('prompt.md'));
		mkdirSync(room.file('work'));
		const container = ['--unshare-user', '--unshare-pid', '--as-pid-1', '--new-session', '--dev-bind', '/', '/'];
		const words = [...container, '--proc', '/proc', 'sh', '-ec', script];
		const where = { cwd: room.file('work'), env: environment(lab, room) };
		const { stdout } = await promisify(execFile)(join(sandboxes, 'bwrap'), words, where);
		expect(stdout).toContain('Reviewed.');
		expect(JSON.stringify(lab.model.requests)).toContain('The door is blue.');
	});

	it('is a step of CI, which reviews a change', async () => {
		await using room = tempFolder();
		await using lab = await claudeLab();
		const project = smallRepository(room, { 'a.txt': 'one' });
		const git = (...args: string[]) => execFileSync('git', args, { cwd: room.file('work'), stdio: 'ignore' });
		execFileSync('git', ['clone', '-q', project, room.file('work')]);
		appendFileSync(room.file('work/a.txt'), '[[text:Reviewed.]]\n');
		git('-c', 'user.name=Tess', '-c', 'user.email=tess@example.com', 'commit', '-qam', 'a change');
		mkdirSync(room.file('temp/nancy/extension'), { recursive: true });
		symlinkSync(dirname(nancy.program), room.file('temp/nancy/extension/dist'));
		const script = linesBelow('      - run: |');
		const github = {
			RUNNER_TEMP: room.file('temp'),
			GITHUB_BASE_REF: 'main',
			GITHUB_STEP_SUMMARY: room.file('summary'),
		};
		const where = { cwd: room.file('work'), env: environment(lab, room, github) };
		await promisify(execFile)('sh', ['-ec', script], where);
		expect(readFileSync(room.file('summary'), 'utf8')).toContain('Reviewed.');
		expect(JSON.stringify(lab.model.requests)).toContain('Review this change.');
	});
});
