import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { finish } from '../../src/core/delegates/ending.ts';
import { OWN_TASK } from '../../src/core/delegates/ownTask.ts';
import { ORCHESTRATOR, SessionId } from '../../src/protocol/names.ts';
import { DelegateRoom } from '../support/delegateRoom.ts';
import { makeOld } from '../support/makeOld.ts';

// The id of a delegate's result is in `.nancy` before the result. Nobody keeps the result away by a file of that name.

let room: DelegateRoom;
beforeEach(() => {
	room = new DelegateRoom();
});
afterEach(() => room.folder.remove());

it.each([
	['inbox', false],
	['inbox', true],
	['delivered', false],
	['archive', false],
])('a result arrives, whatever has its name in %s (handed over: %s)', async (place, isHandedOver) => {
	const delegate = await room.queue();
	const id = delegate.status.report ?? '';
	expect(id).not.toBe('');
	const mailbox = room.workspace.mailbox({ task: OWN_TASK, worker: ORCHESTRATOR });
	const planted = join(mailbox.folder, place, `${id}.md`);
	mkdirSync(dirname(planted), { recursive: true });
	writeFileSync(planted, 'Nothing to see.');
	if (isHandedOver) {
		makeOld(dirname(planted));
		const [claim] = await mailbox.claim(() => 'take');
		expect(claim?.author.is).toBe('unknown');
		claim?.deliver({
			deliveredAt: '2026-01-01T00:00:00.000Z',
			event: 'Stop',
			driver: delegate.record.agent,
			session: SessionId.parse('s1'),
			rung: 'hook',
		});
	}
	await finish(room.delegates, delegate, { ok: true, output: 'The answer.' });
	const { messages } = await mailbox.list();
	const results = messages.filter(({ author }) => author.is === 'delegate');
	expect(results).toMatchObject([{ id, state: 'queued', content: { text: expect.stringContaining('The answer.') } }]);
});
