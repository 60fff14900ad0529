import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WAKE_PROMPT } from '../../../src/core/driver/hooks.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { DriverId, SessionId, TaskName, WorkerName } from '../../../src/protocol/names.ts';
import { addBoundWorker } from '../../support/boundWorker.ts';
import { eventually } from '../../support/eventually.ts';
import { long } from '../../support/long.ts';
import { programs, repository } from '../../support/programs.ts';
import { taskRecord } from '../../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';
import { terminal, type Terminal } from '../../support/terminal.ts';

const agent = DriverId.parse('copilot-cli');
const session = SessionId.parse('11111111-1111-4111-8111-111111111111');
const address = { task: TaskName.parse('build'), worker: WorkerName.parse('worker') };

/** Waits as the guard does, until the file `due` is there. While it waits, `waits` is there. Only who calls it ends it: no terminal does. */
const GUARD = `#!/bin/sh
cd "$4" || exit 0
echo "$1 $3 $NANCY_HOOK_SESSION $NANCY_HOOK_PID" >waiting
trap '' HUP
trap 'rm -f waits; exit 0' TERM
mv waiting waits
until [ -e due ]; do sleep 0.05; done
rm due waits
echo 'words of a bell' >&2
exit 2
`;

describe('an idle agent in a watched terminal', () => {
	let folder: TempFolder;
	let screen: Terminal;
	beforeEach(() => {
		folder = tempFolder();
	});
	afterEach(async () => {
		await screen.close();
		await folder.remove();
	});

	const start = async ({ lateMs = 0, unsent = 0 } = {}) => {
		const workspace = new Workspace(folder.path);
		await workspace.prepare();
		await workspace.createTask(taskRecord(address.task, agent));
		await addBoundWorker(workspace, address, { agent, session, isWatched: false });
		writeFileSync(folder.file('launcher'), GUARD, { mode: 0o755 });
		const { hooks } = await programs();
		const cli = join(repository, 'test/fixtures/children/inputLine.mjs');
		const words = [folder.file('launcher'), folder.path, process.execPath, cli, `${lateMs}`, `${unsent}`];
		screen = terminal(process.execPath, [join(hooks, 'watched.js'), agent, ...words], {
			cwd: folder.path,
			columns: 60,
			rows: 10,
			env: { PATH: process.env['PATH'] ?? '', NANCY_TASK: address.task, NANCY_WORKER: address.worker },
		});
		await screen.waitForText(/\? help/);
	};
	const waits = () => eventually('somebody waits for a message', () => existsSync(folder.file('waits')));
	const waitsNoMore = () => eventually('nobody waits for a message', () => !existsSync(folder.file('waits')));
	const messageIsDue = () => writeFileSync(folder.file('due'), '');
	/** A message is due once this was typed. */
	const isDueBehind = async (keys: string, shown?: RegExp) => {
		screen.type(keys);
		if (shown) await screen.waitForText(shown);
		await waitsNoMore();
		messageIsDue();
		// Longer than it takes until somebody waits where nothing is typed.
		await sleep(2500);
	};
	const prompts = () => {
		const file = folder.file('prompts');
		return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
	};
	const prompted = (count: number) => eventually(`${count} prompts`, () => prompts().length === count);

	it('gets the wake as a prompt of its own once a message is due, by its session and its process', async () => {
		await start();
		await waits();
		const [driver, slot, ofSession, pid] = readFileSync(folder.file('waits'), 'utf8').trim().split(' ');
		expect([driver, slot, ofSession]).toEqual([agent, 'wait', session]);
		expect(Number(pid)).not.toBe(screen.pid);
		expect(() => process.kill(Number(pid), 0)).not.toThrow();
		messageIsDue();
		await prompted(1);
		expect(prompts()).toEqual([WAKE_PROMPT]);
		// And again.
		await waits();
		messageIsDue();
		await prompted(2);
	});

	it('is not woken while something is typed, by nobody who waits, and is once that is gone', async () => {
		await start();
		await waits();
		await isDueBehind('half', /❯ half$/m);
		expect(screen.screen()).toMatch(/❯ half$/m);
		expect(prompts()).toEqual([]);
		for (const _ of 'half') screen.type('\u007f');
		await prompted(1);
		expect(prompts()).toEqual([WAKE_PROMPT]);
	});

	it('gets what its user types during a wake behind it', async () => {
		await start({ lateMs: 700 });
		await waits();
		messageIsDue();
		await eventually('the words have come', () => existsSync(folder.file('came')));
		screen.type('my own words');
		await prompted(1);
		await screen.waitForText(/❯ my own words$/m);
		expect(prompts()).toEqual([WAKE_PROMPT]);
	});

	it('has no question answered by what its user types during a wake', async () => {
		await start({ lateMs: 3000 });
		await waits();
		messageIsDue();
		await eventually('the words have come', () => existsSync(folder.file('came')));
		screen.type('my own words\r');
		await sleep(500);
		writeFileSync(folder.file('asks'), '');
		await screen.waitForText(/Do you want/);
		// Longer than keys are held back.
		await sleep(2500);
		expect(existsSync(folder.file('answers'))).toBe(false);
		screen.type('y');
		await eventually('an answer', () => existsSync(folder.file('answers')));
		expect(readFileSync(folder.file('answers'), 'utf8')).toBe('y');
	});

	it('does not merge the words of a wake that it shows too late with what its user types', long, async () => {
		await start({ lateMs: 9000 });
		await waits();
		messageIsDue();
		await eventually('the words have come', () => existsSync(folder.file('came')));
		screen.type('my own words\u0011');
		await prompted(1);
		expect(prompts()).toEqual(['my own words']);
	});

	it('is not woken while a text is being pasted', long, async () => {
		await start();
		await waits();
		await isDueBehind('\u001b[200~');
		expect(existsSync(folder.file('due'))).toBe(true);
		screen.type('\u001b[201~');
		await waits();
	});

	it('is left with an empty line where it did not send the words', async () => {
		await start({ unsent: 1 });
		await waits();
		messageIsDue();
		await screen.waitForText(/❯ Read the messages/);
		await screen.waitForText(/❯\s*\n.*\n.*\? help/);
		expect(prompts()).toEqual([]);
	});

	it('is woken while the mouse moves over its terminal and the focus comes and goes', async () => {
		await start();
		const moving = setInterval(() => screen.type('\u001b[I\u001b[<35;10;5M\u001b[O'), 100);
		try {
			await waits();
			messageIsDue();
			await prompted(1);
		} finally {
			clearInterval(moving);
		}
		expect(prompts()).toEqual([WAKE_PROMPT]);
	});

	it('is no longer waited for once it has ended', async () => {
		await start();
		await waits();
		await screen.close();
		await waitsNoMore();
	});
});
