import { execFileSync } from 'node:child_process';
import { readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readHeldStops, readPhase, writePhase } from '../../../../src/core/sessions/phase.ts';
import { ProcessLock } from '../../../../src/core/files/processLock.ts';
import { SEALS } from '../../../../src/core/mailbox/sealReader.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { DriverId, FIRST_WORKER, SessionId, TaskName } from '../../../../src/protocol/names.ts';
import { addBoundWorker } from '../../../support/boundWorker.ts';
import { BY_USER, messageContent } from '../../../support/messageContent.ts';
import { taskRecord } from '../../../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';
import { bindSession, sessionBinding } from '../../../../src/core/sessions/bindings.ts';

let folder: TempFolder;
let workspace: Workspace;
const session = SessionId.parse('s1');
const address = { task: TaskName.parse('fix'), worker: FIRST_WORKER };

beforeEach(async () => {
	folder = tempFolder();
	workspace = new Workspace(folder.path);
	const agent = DriverId.parse('fake');
	await workspace.createTask(taskRecord(address.task, agent));
	await addBoundWorker(workspace, address, { agent, session });
});
afterEach(() => folder.remove());

/** Nobody writes into it, so that a reader would wait for ever. */
async function pipeAt(file: string): Promise<string> {
	await rm(file, { force: true });
	execFileSync('mkfifo', [file]);
	return file;
}

describe('a pipe in place of a file of Nancy’s holds nobody up', () => {
	it('as the binding of a session, which the next one replaces', async () => {
		await pipeAt(workspace.paths.session(session));
		expect(await sessionBinding(workspace, session)).toEqual({ address, watched: false });
		await bindSession(workspace, session, { address: address, watched: true });
		expect(await sessionBinding(workspace, session)).toEqual({ address, watched: true });
	});

	it('as the phase of a session, which the next one replaces', async () => {
		await pipeAt(join(workspace.paths.phases, session));
		await pipeAt(join(workspace.paths.phases, `${session}.held`));
		expect(await readPhase(workspace.paths, session)).toMatchObject({ phase: 'unknown' });
		expect(await readHeldStops(workspace.paths, session)).toBe(0);
		await writePhase(workspace.paths, session, 'busy');
		expect(await readPhase(workspace.paths, session)).toMatchObject({ phase: 'busy' });
	});

	it('as a doorbell, or a lock, which is then taken', async () => {
		await pipeAt(workspace.paths.bell(session));
		await expect(workspace.ring(address)).rejects.toMatchObject({ code: 'ENXIO' });
		expect(await new ProcessLock(await pipeAt(join(workspace.paths.root, 'x.lock'))).hold()).toBe(true);
	});

	it('as the count of a message’s returns', async () => {
		const mailbox = workspace.mailbox(address);
		await workspace.send(address, messageContent('Use the helper.'), BY_USER);
		const [name = ''] = await readdir(join(mailbox.folder, 'inbox'));
		await rename(join(mailbox.folder, 'inbox', name), join(mailbox.folder, 'claimed', `4194303-1-${name}`));
		await pipeAt(join(mailbox.folder, 'claimed', name.replace('.md', '.returns')));
		expect(await mailbox.recover()).toHaveLength(1);
		expect((await mailbox.claim(() => 'take')).map(each => each.earlierClaims)).toEqual([1]);
	});

	it('as a receipt', async () => {
		const mailbox = workspace.mailbox(address);
		const text = 'Use the helper.';
		await writeFile(join(mailbox.folder, 'delivered', 'one.md'), text);
		// Its receipt is read if the seal is of an earlier version, which holds none.
		const seal = { version: 1, author: BY_USER, file: text };
		await workspace.own.write(seal, SEALS, address.task, address.worker, 'filed', 'one.json');
		const file = await pipeAt(join(mailbox.folder, 'delivered', 'one.receipt.json'));
		const { messages, problems } = await mailbox.list();
		expect(messages).toMatchObject([{ id: 'one', content: { text: 'Use the helper.' } }]);
		expect(problems).toMatchObject([{ file, reason: expect.stringContaining('no ordinary file') }]);
	});
});

describe('a message that is far too long', () => {
	it('is a problem and not read, and holds up no other', async () => {
		const mailbox = workspace.mailbox(address);
		await workspace.send(address, messageContent('Use the helper.'), BY_USER);
		for (const state of ['inbox', 'delivered']) {
			const file = join(mailbox.folder, state, 'long.md');
			await writeFile(file, 'x');
			// Without blocks on the disk; read, it would be all of them.
			await truncate(file, 3 * 2 ** 30);
		}
		const { messages, problems } = await mailbox.list();
		expect(messages).toMatchObject([{ content: { text: 'Use the helper.' } }]);
		expect(problems.map(({ reason }) => reason)).toEqual([
			expect.stringContaining('has 3221225472 bytes, more than the 4194304'),
			expect.stringContaining('has 3221225472 bytes, more than the 4194304'),
		]);
		expect(await mailbox.claim(() => 'take')).toHaveLength(1);
	});

	it('is one of more than 4 MB', async () => {
		const mailbox = workspace.mailbox(address);
		const file = join(mailbox.folder, 'inbox', 'long.md');
		await writeFile(file, 'x'.repeat(4 * 2 ** 20));
		expect((await mailbox.list()).problems).toEqual([]);
		await writeFile(file, 'x'.repeat(4 * 2 ** 20 + 1));
		expect(await mailbox.list()).toMatchObject({ messages: [], problems: [{ file }] });
		expect(await readFile(file, 'utf8')).toHaveLength(4 * 2 ** 20 + 1);
	});
});
