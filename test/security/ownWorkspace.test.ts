import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { IN_TERMINAL, type Asker } from '../../src/core/asker/asker.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import * as operations from '../../src/operations/index.ts';
import { anybody, perform, type Operation } from '../../src/operations/operation.ts';
import { FIRST_WORKER, TaskName } from '../../src/protocol/names.ts';
import { fakeDriver } from '../support/fakeDriver.ts';
import { agentAt, contextOf } from '../support/operationContext.ts';
import { taskRecord } from '../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

const task = TaskName.parse('fix');
const worker = { task, worker: FIRST_WORKER };
const nothing: Operation<object, object> = {
	name: 'nothing',
	input: z.object({}),
	output: z.object({}),
	permit: anybody,
	run: () => Promise.resolve({}),
};

let folder: TempFolder;
beforeEach(() => {
	folder = tempFolder();
});
afterEach(() => folder.remove());

const workspaceAt = async (name: string) => {
	const workspace = new Workspace(folder.file(name), folder.file('data'));
	await workspace.createTask(taskRecord(task, fakeDriver.id));
	return workspace;
};
const doNothing = async (asker: Asker, workspace: Workspace) =>
	perform(nothing, asker, {}, contextOf(folder, workspace));
const REFUSED = { code: 'not-trusted', message: expect.stringContaining('outside its own workspace') };

describe('an agent', () => {
	it('does nothing in another workspace, through whatever program it asks', async () => {
		const [own, other] = [await workspaceAt('project'), await workspaceAt('other')];
		const sealed = agentAt(folder, worker);
		const process = { pid: 1, startedTicks: 1, folder: own.folder };
		const askers: Asker[] = [
			sealed,
			agentAt(folder),
			{ ...sealed, worker: undefined, calledIn: other.folder, process },
		];
		for (const asker of askers) {
			await doNothing(asker, own);
			await expect(doNothing(asker, other)).rejects.toMatchObject(REFUSED);
		}
		await doNothing(IN_TERMINAL, other);
	});

	it('neither looks there nor sends anything there as a worker of the same name', async () => {
		await workspaceAt('project');
		const other = contextOf(folder, await workspaceAt('other'));
		const asker = agentAt(folder, worker);
		await expect(perform(await operations.status(), asker, { all: false }, other)).rejects.toMatchObject(REFUSED);
		const input = { to: worker, text: 'hi', priority: 'normal', effect: 'none' } as const;
		await expect(perform(await operations.send(), asker, input, other)).rejects.toMatchObject(REFUSED);
	});

	it('works in no folder above its repository or below its workspace', async () => {
		const outer = await workspaceAt('outer');
		mkdirSync(join(outer.folder, 'repository/.git'), { recursive: true });
		mkdirSync(join(outer.folder, 'repository/below'));
		const repository = join(outer.folder, 'repository');
		const asker = { ...agentAt(folder), calledIn: repository };
		await doNothing(asker, new Workspace(repository, folder.file('data')));
		for (const each of [outer, new Workspace(join(repository, 'below'), folder.file('data'))])
			await expect(doNothing(asker, each)).rejects.toMatchObject(REFUSED);
	});
});
