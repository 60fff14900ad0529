import {
	existsSync,
	linkSync,
	mkdirSync,
	readFileSync,
	readdirSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownMachine } from '../../src/base/machine.ts';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { queueDelegate } from '../../src/core/delegates/queueDelegate.ts';
import { Tickets } from '../../src/core/delegates/tickets.ts';
import { IN_TERMINAL } from '../../src/core/asker/asker.ts';
import { cleanUp } from '../../src/core/deployment/cleanUp.ts';
import { deploy } from '../../src/core/deployment/deploy.ts';
import { Leases } from '../../src/core/files/leases.ts';
import { readPhase } from '../../src/core/sessions/phase.ts';
import { appendLines } from '../../src/core/traffic/trafficFile.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { claudeCode } from '../../src/drivers/claude-code/driver.ts';
import { drivers } from '../../src/drivers/index.ts';
import { beginHalt } from '../../src/core/sessions/halt.ts';
import { FIRST_WORKER, SessionId, TaskName } from '../../src/protocol/names.ts';
import { addBoundWorker } from '../support/boundWorker.ts';
import { dataIn, deployRequest } from '../support/deployRequest.ts';
import { fakeDriver } from '../support/fakeDriver.ts';
import { BY_USER, messageContent } from '../support/messageContent.ts';
import { makeOld } from '../support/makeOld.ts';
import { PreparedWorker } from '../support/preparedWorker.ts';
import { taskRecord } from '../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

// What a sandbox may let an agent do, which may not write the files outside itself.

const THEIRS = 'years of work\n';
const session = SessionId.parse('s1');
const address = { task: TaskName.parse('build'), worker: FIRST_WORKER };

let folder: TempFolder;
let workspace: Workspace;
/** A file of the user's outside the workspace. */
let theirs: string;

beforeEach(async () => {
	folder = tempFolder('nancy-hard-');
	workspace = new Workspace(folder.file('project'), folder.file('data'));
	theirs = folder.file('thesis.md');
	writeFileSync(theirs, THEIRS);
	await workspace.createTask(taskRecord(address.task, fakeDriver.id));
	await addBoundWorker(workspace, address, { agent: fakeDriver.id, session });
});
afterEach(() => folder.remove());

/** The same file under a name of Nancy's. */
function linked(place: string): void {
	mkdirSync(dirname(place), { recursive: true });
	rmSync(place, { force: true });
	linkSync(theirs, place);
}

describe('a hard link in the place of', () => {
	it.each<[string, () => string, () => Promise<unknown>]>([
		['a doorbell', () => workspace.paths.bell(session), () => workspace.ring(address)],
		['a halt', () => join(workspace.paths.halts, session), () => beginHalt(workspace, session, 'halt')],
		[
			'a machine’s sign of life',
			() => join(workspace.paths.machines, ownMachine() ?? ''),
			() => new Leases(workspace.paths.machines).renew(),
		],
		[
			'traffic',
			() => join(workspace.paths.traffic, `${session}.jsonl`),
			() => appendLines(workspace.paths, session, ['{}']),
		],
	])('%s is named, and not written', async (_what, place, write) => {
		linked(place());
		await expect(write()).rejects.toMatchObject({
			code: 'bad-file',
			message: expect.stringContaining(`${place()} is a hard link`),
		});
		expect(readFileSync(theirs, 'utf8')).toBe(THEIRS);
		rmSync(place());
		await write();
		expect(readFileSync(place(), 'utf8')).not.toBe('');
	});

	it.each([
		['UserPromptSubmit', 'turn', 'busy'],
		['Stop', 'end', 'idle'],
	] as const)('a turn’s mark is replaced at %s by a file of its own', async (event, slot, phase) => {
		await using worker = await PreparedWorker.in(folder.file('guarded'));
		const { paths } = worker.workspace;
		linked(join(paths.phases, worker.session));
		expect(worker.hook({ event, slot })).toEqual({ status: 0, stdout: '', stderr: '' });
		expect(readFileSync(theirs, 'utf8')).toBe(THEIRS);
		expect((await readPhase(paths, worker.session)).phase).toBe(phase);
		expect(readdirSync(paths.phases)).toEqual([worker.session]);
	});

	it('a machine’s sign of life is not written by the guard, which dates it', async () => {
		await using worker = await PreparedWorker.in(folder.file('guarded'));
		await worker.send('Use plan B.');
		const sign = join(worker.workspace.paths.machines, ownMachine() ?? '');
		linked(sign);
		makeOld(dirname(sign));
		const before = Date.now();
		expect(worker.hook().stdout).toContain('Use plan B.');
		expect(readFileSync(theirs, 'utf8')).toBe(THEIRS);
		expect(existsSync(worker.prepared)).toBe(false);
		// A file system may keep whole seconds.
		expect(statSync(sign).mtimeMs).toBeGreaterThanOrEqual(before - 1000);
	});

	it('a delegate’s files is not written either', async () => {
		const delegates = new Delegates(workspace);
		const tickets = new Tickets(folder.file('data'), workspace.folder);
		const { files, record, status } = await queueDelegate(delegates, tickets, IN_TERMINAL, {
			prompt: 'x',
			agent: fakeDriver.id,
			permissions: 'all',
			folder: workspace.folder,
		});
		for (const file of [files.log, files.status, files.output, files.done]) linked(file);
		await expect(files.appendLog('evil\n')).rejects.toMatchObject({ code: 'bad-file' });
		await delegates.writeStatus(record.id, status);
		await files.writeOutput('evil');
		await files.writeDone(undefined);
		expect(readFileSync(theirs, 'utf8')).toBe(THEIRS);
	});

	it('a message or a settings file is replaced by a file of its own', async () => {
		const settings = join(workspace.folder, '.claude/settings.local.json');
		writeFileSync(theirs, '{}');
		linked(settings);
		await deploy(workspace, claudeCode, deployRequest(folder.path, '0.2.0-bbbbbbbb', folder.file('none')));
		expect(readFileSync(settings, 'utf8')).toContain('nancy-hook');
		await cleanUp(workspace, undefined, drivers, dataIn(folder.path));
		const sent = await workspace.send(address, messageContent('Go on.'), BY_USER);
		const inbox = join(workspace.paths.comms(address.task), address.worker, 'inbox');
		linked(join(inbox, `${sent}.held`));
		await workspace.mailbox(address).setHeld(sent, { code: 'ended-unread' });
		expect(readFileSync(theirs, 'utf8')).toBe('{}');
	});
});

describe('a folder that becomes a link between the look and the write', () => {
	it.each(['is there', 'is not there'])('leads no settings file elsewhere, where one %s', async there => {
		const own = join(workspace.folder, '.claude');
		const elsewhere = folder.file('elsewhere');
		for (const each of [own, elsewhere]) {
			mkdirSync(each, { recursive: true });
			if (there === 'is there') writeFileSync(join(each, 'settings.local.json'), '{}');
		}
		const swap = () => {
			if (existsSync(folder.file('aside'))) return;
			renameSync(own, folder.file('aside'));
			symlinkSync(elsewhere, own);
		};
		let looks = 0;
		const isBusy = () => {
			// The first is before the text is made, the next right before the exchange.
			if (++looks > 1) swap();
			return false;
		};
		const request = deployRequest(folder.path, '0.2.0-bbbbbbbb', folder.file('none'));
		await expect(deploy(workspace, claudeCode, { ...request, isBusy })).rejects.toMatchObject({
			code: 'settings-broken',
			message: expect.stringContaining('a link that leads out of the workspace folder'),
		});
		expect(existsSync(folder.file('aside'))).toBe(true);
		const left = readdirSync(elsewhere).map(name => readFileSync(join(elsewhere, name), 'utf8'));
		expect(left).toEqual(there === 'is there' ? ['{}'] : []);
	});
});
