import { rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sendToEach } from '../../../../src/core/mailbox/sendToEach.ts';
import { Project } from '../../cli/project.ts';
import { BY_USER, messageContent } from '../../../support/messageContent.ts';

it('a message to several is queued for all that can take it, and the others are named', async () => {
	await using project = new Project();
	const { workspace } = project;
	const names = ['first', 'deleted', 'unreadable', 'last'];
	const to = await Promise.all(
		names.map(async name => {
			const task = await project.addTask(name);
			return { folder: project, address: { task, worker: await project.addWorker(task, 'worker') } };
		}),
	);
	rmSync(`${workspace.paths.tasks}/deleted`, { recursive: true });
	writeFileSync(`${workspace.paths.tasks}/unreadable/workers/worker.json`, '{');

	const failed = await sendToEach(to, messageContent('All of you.'), BY_USER);

	expect(failed).toEqual([{ to: to[1], reason: expect.stringContaining('there is no task "deleted"') }]);
	const queued = await Promise.all(
		to.map(async ({ address }) => (await workspace.mailbox(address).list(['queued'])).messages.length),
	);
	expect(queued).toEqual([1, 0, 1, 1]);
});
