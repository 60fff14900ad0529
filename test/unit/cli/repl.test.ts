import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { long } from '../../support/long.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';
import { terminal, type Terminal } from '../../support/terminal.ts';
import { ProjectName } from '../../../src/protocol/memoryNames.ts';
import { seedWaitingNote } from '../../support/seedMemory.ts';
import { fakeClaude } from './fakeClaude.ts';
import { NancyCommand } from './nancyCommand.ts';

let nancy: NancyCommand;
let folder: TempFolder;
let typed: Terminal;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());
beforeEach(() => {
	folder = tempFolder();
	fakeClaude(folder.file('agent'));
	// The modes of the terminal must be those of before.
	const shell =
		'trap : INT; before=$(stty -g); "$@"; echo "Ended with $?: $([ "$(stty -g)" = "$before" ] && echo as before)"';
	typed = terminal('/bin/sh', ['-c', shell, 'sh', process.execPath, nancy.program, 'start', 'typed'], {
		cwd: folder.path,
		env: {
			PATH: [folder.file('agent'), dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
			HOME: folder.path,
			XDG_DATA_HOME: nancy.dataFolder,
			XDG_CONFIG_HOME: folder.file('config'),
			EDITOR: 'sed -i s/Always/Never/',
			// The agent itself: it reads a line of its terminal, or breaks down in a screen of its own.
			FAKE_CLAUDE: [
				`case "$*" in *'Break down'*)`,
				String.raw`stty raw -echo; printf '\033[?1049h\033[?25l\033[?1000h'; echo "On another screen."; exit 3;; esac`,
				'echo "At work."; read -r line; echo "Heard: $line"; exit "$line"',
			].join('\n'),
		},
	});
});
afterEach(async () => {
	await typed.close();
	await folder.remove();
});

describe('the prompt of nancy start', () => {
	it('forgets at Ctrl-C all lines of a pasted text that was not sent', async () => {
		await typed.waitForText(/typed>$/m);
		typed.type('\u001b[200~The first line\rThe second\u001b[201~');
		await typed.waitForText(/The second$/m);
		typed.type('\u0003');
		await typed.waitForText(/typed>$/m);
		typed.type('/history\r');
		// With the first line before it, this would be a task.
		await typed.waitForText(/no tasks/);
	});

	it('leaves the terminal to the agent for one task, and has it back afterwards', long, async () => {
		await typed.waitForText(/typed>$/m);
		typed.type('/interactive Look around\r');
		await typed.waitForText(/At work\./);
		typed.type('0\r');
		await typed.waitForText(/Heard: 0[^]*task 1 is saved[^]*typed>$/m);
		expect(readFileSync(folder.file('agent', 'args'), 'utf8')).toMatch(/^Look around$/m);
		expect(readFileSync(folder.file('agent', 'env'), 'utf8')).toMatch(/^NANCY_PROJECT=typed$/m);
		expect(readdirSync(folder.file('.nancy', 'tasks'))).toEqual(['typed-1']);
		typed.type('/history\r');
		await typed.waitForText(/1 {2}Look around \(claude-code, ok/);
		typed.type('/interactive\r');
		await typed.waitForText(/history[^]*At work\./);
		typed.type('7\r');
		await typed.waitForText(/the agent ended with exit code 7[^]*task 2 is saved/);
	});

	it('stays when Ctrl-C ends the agent in its terminal, which says so, and reads on', async () => {
		await typed.waitForText(/typed>$/m);
		typed.type('/interactive Look around\r');
		await typed.waitForText(/At work\./);
		typed.type('\u0003');
		await typed.waitForText(/it was broken off[^]*task 1 is saved[^]*typed>$/m);
		typed.type('/history\r');
		await typed.waitForText(/1 {2}Look around \(claude-code, broken off/);
		typed.type('/quit\r');
		await typed.waitForText(/Ended with 0: as before/);
	});

	it('brings the terminal back from what an agent that breaks down leaves', async () => {
		await typed.waitForText(/typed>$/m);
		typed.type('/interactive Break down\r');
		await typed.waitForText(/exit code 3[^]*task 1 is saved[^]*typed>$/m);
		// This screen is that of before.
		expect(typed.screen()).toContain('/interactive Break down');
		expect(typed.screen()).not.toContain('On another screen');
		typed.type('/history\r');
		await typed.waitForText(/1 {2}Break down \(claude-code, failed/);
		typed.type('/quit\r');
		await typed.waitForText(/Ended with 0: as before/);
	});

	it('gives no terminal to the agent where there is none, and begins no task', async () => {
		const PATH = `${folder.file('agent')}${delimiter}/usr/bin:/bin`;
		const env = { PATH, HOME: folder.path, XDG_CONFIG_HOME: folder.file('config') };
		const stdin = '/interactive Look around\n/history\n';
		const { code, stdout, stderr } = await nancy.start(['start', 'piped'], { cwd: folder.path, env, stdin });
		expect([code, stdout, stderr]).toEqual([0, 'no tasks\n', expect.stringContaining('needs a terminal')]);
	});

	it('shows what waits as a change of its file, and takes a decision about it', async () => {
		await typed.waitForText(/typed>$/m);
		seedWaitingNote(folder.file('config', 'nancy'), ProjectName.parse('typed'));
		typed.type('/review\r');
		await typed.waitForText(/tells an agent what to do[^]*\+ - Always run the tests[^]*skip or quit\?$/m);
		typed.type('perhaps\r');
		await typed.waitForText(/or the first letter[^]*skip or quit\?$/m);
		typed.type('a\r');
		await typed.waitForText(/accepted[^]*typed>$/m);
		const notes = folder.file('config', 'nancy', 'projects', 'typed', 'notes', 'failures.md');
		expect(readFileSync(notes, 'utf8')).toContain('Always run the tests');
		typed.type('/review\r');
		await typed.waitForText(/nothing waits for you/);
	});

	it('shows what is hidden in a note that waits, and takes other words for it, or none', async () => {
		await typed.waitForText(/typed>$/m);
		const config = folder.file('config', 'nancy');
		const project = ProjectName.parse('typed');
		const line = (id: string, text: string) => `- ${text} <!-- n:${id} t:001 by:claude-code -->`;
		const put = (id: string, text: string) =>
			seedWaitingNote(config, project, { change: { op: 'put', category: 'failures', line: line(id, text) } });
		put('3f9a1c01', 'Hidden \u001b[2J\u202e words.');
		typed.type('/review\r');
		await typed.waitForText(/\+ - Hidden \\x1b\[2J⟨U\+202E⟩ words[^]*skip or quit\?$/m);
		typed.type('r\r');
		await typed.waitForText(/rejected[^]*typed>$/m);

		seedWaitingNote(config, project);
		put('3f9a1c02', 'Another one.');
		typed.type('/review\r');
		await typed.waitForText(/1 of 2[^]*skip or quit\?$/m);
		typed.type('skip\r');
		await typed.waitForText(/2 of 2[^]*skip or quit\?$/m);
		typed.type('quit\r');
		await typed.waitForText(/one waits still[^]*typed>$/m);

		typed.type('/review\r');
		await typed.waitForText(/still[^]*1 of 2[^]*skip or quit\?$/m);
		// Whichever comes first: the other one has no word that the editor changes.
		const first = /Always run/.test(typed.screen().slice(typed.screen().lastIndexOf('1 of 2')));
		if (!first) {
			typed.type('s\r');
			await typed.waitForText(/still[^]*2 of 2[^]*skip or quit\?$/m);
		}
		typed.type('e\r');
		await typed.waitForText(/accepted: Never run the tests/);
		const notes = () =>
			readFileSync(folder.file('config', 'nancy', 'projects', 'typed', 'notes', 'failures.md'), 'utf8');
		expect(notes()).toContain('- Never run the tests with DB_URL.');
		expect(notes()).not.toContain('Hidden');
	});

	it('obeys its commands, completes them by Tab, and refuses words that are none', async () => {
		await typed.waitForText(/typed>$/m);
		typed.type('/status\r');
		await typed.waitForText(/typed {2}0 tasks - 0 notes[^]*typed>$/m);
		typed.type('/nonsense\r');
		await typed.waitForText(/there is no \/nonsense\. There are:[^]*\/quit[^]*typed>$/m);
		typed.type('/notes nonsense\r');
		await typed.waitForText(/nonsense[^]*architecture[^]*typed>$/m);
		typed.type('/notes de\t');
		await typed.waitForText(/\/notes decisions$/m);
		typed.type('\r');
		await typed.waitForText(/decisions[^]*typed>$/m);
		typed.type('/agent nobody\r');
		await typed.waitForText(/nobody[^]*typed>$/m);
		typed.type('/agent claude-code\r');
		await typed.waitForText(/the next task is for claude-code/);
		typed.type('/continue\r');
		await typed.waitForText(/the next task continues the conversation/);
		typed.type('/com\t\r');
		await typed.waitForText(/the next task begins anew, with a summary/);
		typed.type('/done\r');
		expect(await typed.ended).toBe(0);
	});
});
