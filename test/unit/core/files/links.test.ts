import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deploy } from '../../../../src/core/deployment/deploy.ts';
import { undeploy } from '../../../../src/core/deployment/undeploy.ts';
import { makeBell } from '../../../../src/core/workspace/bell.ts';
import { WorkspaceModel } from '../../../../src/core/live/model.ts';
import { Collector } from '../../../../src/core/live/collector.ts';
import { readTraffic } from '../../../../src/core/traffic/store.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { claudeCode } from '../../../../src/drivers/claude-code/driver.ts';
import { beginHalt } from '../../../../src/core/sessions/halt.ts';
import { FIRST_WORKER, SessionId, TaskName } from '../../../../src/protocol/names.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';
import { treeOf } from '../../../support/tree.ts';
import { dataIn, deployRequest } from '../../../support/deployRequest.ts';
import { bindSession, sessionBinding } from '../../../../src/core/sessions/bindings.ts';

let folder: TempFolder;
let workspace: Workspace;
/** Somebody else's folder, which a link leads to. */
let theirs: string;
let settings: string;
const session = SessionId.parse('s1');
const task = TaskName.parse('login');

beforeEach(async () => {
	folder = tempFolder('nancy-links-');
	workspace = new Workspace(folder.file('project'));
	theirs = folder.file('theirs');
	settings = join(workspace.folder, '.claude/settings.local.json');
	mkdirSync(theirs);
	writeFileSync(join(theirs, 'thesis.md'), 'years of work');
	mkdirSync(join(workspace.folder, '.claude'), { recursive: true });
	writeFileSync(settings, '{"model":"opus"}');
	await workspace.prepare();
});
afterEach(() => folder.remove());

const request = (version = '0.1.0-aaaaaaaa') => deployRequest(folder.path, version, folder.file('none'));
const data = () => dataIn(folder.path);

const failure = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

/** Puts a link in the place of a folder of Nancy's. */
function linked(place: string): void {
	rmSync(place, { recursive: true, force: true });
	symlinkSync(theirs, place);
}

const untouched = () => expect(readdirSync(theirs)).toEqual(['thesis.md']);

describe('a link in the place of', () => {
	it.each([
		['.nancy', () => workspace.paths.root],
		['.nancy/deployed', () => workspace.paths.originals],
		['.nancy/traffic', () => workspace.paths.traffic],
		['.nancy/tasks', () => workspace.paths.tasks],
		['.nancy/spool', () => workspace.paths.spool],
		['.nancy/sessions', () => workspace.paths.sessions],
		['.nancy/bells', () => workspace.paths.bells],
	])('%s is named, and nothing is done through it', async (_, place) => {
		linked(place());
		const binding = { address: { task, worker: FIRST_WORKER } };
		const said = { code: 'bad-file', message: expect.stringContaining(`${place()} is a symbolic link`) };
		for (const work of [
			() => deploy(workspace, claudeCode, request()),
			() => undeploy(workspace, claudeCode, data()),
			() => workspace.updateConfig(config => config),
			() => workspace.tasks(),
			() => workspace.task(task),
			() => bindSession(workspace, session, { address: binding.address, watched: false }),
			() => sessionBinding(workspace, session),
		]) {
			expect(await failure(work())).toMatchObject(said);
		}
		untouched();
		expect(readFileSync(settings, 'utf8')).toBe('{"model":"opus"}');
	});

	it('.nancy/deployed after a deployment does not lose a file behind it, nor does clean-up', async () => {
		await deploy(workspace, claudeCode, request());
		linked(workspace.paths.originals);
		expect(await failure(undeploy(workspace, claudeCode, data()))).toMatchObject({ code: 'bad-file' });
		untouched();
		rmSync(workspace.paths.originals);
		await undeploy(workspace, claudeCode, data());
		expect(JSON.parse(readFileSync(settings, 'utf8'))).toEqual({ model: 'opus' });
	});

	it.each(['traffic', 'spool'] as const)('.nancy/%s keeps events from being collected, and says so', async name => {
		const event = { session_id: session, hook_event_name: 'Stop', cwd: workspace.folder };
		const into = name === 'spool' ? theirs : workspace.paths.spool;
		writeFileSync(join(into, 'claude-code~Stop~1.json'), JSON.stringify(event));
		linked(workspace.paths[name]);
		const before = treeOf(theirs);
		const collector = new Collector(workspace, [claudeCode]);
		expect(await collector.collect()).toMatchObject({ records: 0 });
		expect(collector.problems.map(({ reason }) => reason).join()).toContain('is a symbolic link');
		await collector.close();
		expect(treeOf(theirs)).toEqual(before);
	});

	it('.nancy/traffic is not read from either, and the overview names it', async () => {
		linked(workspace.paths.traffic);
		expect(await failure(readTraffic(workspace.paths, session))).toMatchObject({ code: 'bad-file' });
		const model = new WorkspaceModel(workspace, [claudeCode], { once: true });
		await model.refresh();
		expect(
			model
				.overview()
				.problems.map(({ reason }) => reason)
				.join(),
		).toContain(workspace.paths.traffic);
		await model.close();
		untouched();
	});

	it.each(['workers', 'comms'] as const)('a task’s %s keeps workers from being read or written', async name => {
		const now = new Date().toISOString();
		const rest = { agent: claudeCode.id, version: 1 as const };
		await workspace.createTask({ ...rest, name: task, title: 'x', prompt: '', createdAt: now, origin: 'nancy' });
		linked(workspace.paths[name](task));
		const record = { ...rest, task, name: FIRST_WORKER, sessions: [], startedAt: now };
		expect(await failure(workspace.saveWorker(record))).toMatchObject({ code: 'bad-file' });
		expect(await failure(workspace.workers(task))).toMatchObject({ code: 'bad-file' });
		untouched();
	});

	it('a doorbell or a mark is not written through', async () => {
		const address = { task, worker: FIRST_WORKER };
		const now = new Date().toISOString();
		const rest = { agent: claudeCode.id, version: 1 as const };
		await workspace.createTask({ ...rest, name: task, title: 'x', prompt: '', createdAt: now, origin: 'nancy' });
		const sessions = [{ id: session, startedAt: now }];
		await workspace.saveWorker({ ...rest, task, name: FIRST_WORKER, sessions, startedAt: now });
		symlinkSync(join(theirs, 'thesis.md'), workspace.paths.bell(session));
		symlinkSync(join(theirs, 'new.md'), join(workspace.paths.halts, session));
		await failure(workspace.ring(address));
		await failure(makeBell(workspace.paths, session));
		await failure(beginHalt(workspace, session, 'halt'));
		expect(readFileSync(join(theirs, 'thesis.md'), 'utf8')).toBe('years of work');
		rmSync(workspace.paths.bell(session));
		symlinkSync(join(theirs, 'new.md'), workspace.paths.bell(session));
		await failure(makeBell(workspace.paths, session));
		untouched();
	});
});

describe('the folder of originals that earlier versions had', () => {
	it('is swept only of what Nancy put there', async () => {
		const { originals } = workspace.paths;
		mkdirSync(originals);
		const left = [
			'0123456789abcdef0123456789abcdef.original',
			'.0123456789ab.tmp',
			'skill-01234567',
			'old-01234567',
		];
		for (const name of left) writeFileSync(join(originals, name), '');
		writeFileSync(join(originals, 'notes.txt'), 'mine');
		renameSync(join(theirs, 'thesis.md'), join(originals, 'thesis.original'));
		await deploy(workspace, claudeCode, request());
		expect(readdirSync(originals).sort()).toEqual(['notes.txt', 'thesis.original']);
		for (const name of readdirSync(originals)) rmSync(join(originals, name));
		await undeploy(workspace, claudeCode, data());
		expect(existsSync(originals), basename(originals)).toBe(false);
	});
});
