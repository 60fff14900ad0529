import { expect, it } from 'vitest';
import { deskChange } from '../../../src/core/live/deskChanges.ts';
import { DeskView, folderId } from '../../../src/core/live/deskView.ts';
import type { StoredMessage } from '../../../src/core/mailbox/mailboxFiles.ts';
import { idTime } from '../../../src/core/mailbox/messageId.ts';
import type { MessageState } from '../../../src/core/mailbox/mailboxPaths.ts';
import { FIRST_WORKER, MessageId, ORCHESTRATOR } from '../../../src/protocol/names.ts';
import { messages, receive, state, unread } from '../../../src/web/desk/store.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
import { taskView } from '../../support/taskViews.ts';

const MANY = 10_000;
const STEP = 500;

const all = Array.from({ length: MANY }, (_, at): StoredMessage => {
	const id = MessageId.parse(`${idTime(Date.UTC(2026, 0, 1) + at)}-${String(at).padStart(8, '0')}`);
	return { id, state: 'queued', file: `${id}.md`, content: messageContent(`Message ${at}`), author: BY_USER };
});

/** What the desk shows of an agent that has written and got so many messages. */
function shown(view: DeskView, count: number, as: MessageState) {
	const own = all.slice(0, count).map(message => ({ ...message, state: as }));
	const task = { ...taskView('fix', { workers: ['idle'] }), unread: as === 'queued' ? count : 0 };
	const workers = task.workers.map(worker => ({ ...worker, queued: task.unread }));
	return view.of([
		{
			id: folderId('/project'),
			name: 'project',
			overview: () => ({ tasks: [{ ...task, workers }], problems: [] }),
			// As a mailbox lists them: those that wait as they will be delivered, the others newest first.
			messages: () => ({ messages: as === 'queued' ? own : own.toReversed(), problems: [] }),
			delegates: () => [],
			questions: () => [],
		},
	]);
}

it.each([
	['wait', 'queued', 100, MANY],
	['are filed', 'archived', 30, 0],
] as const)(
	'a page holds the newest of ten thousand messages that %s, through every change, and knows how many wait',
	(_, as, most, waiting) => {
		const view = new DeskView({ agentName: String, limitOf: () => undefined, withoutPaths: String });
		let seen: ReadonlyMap<string, string> = new Map();
		state.value = undefined;
		for (let count = STEP; count <= MANY; count += STEP) {
			const next = shown(view, count, as);
			const change = deskChange(seen, next);
			({ seen } = change);
			if (!change.patch) throw new Error('nothing has changed');
			expect(change.patch.messages?.put.length).toBeLessThanOrEqual(2 * most);
			receive({ v: 1, type: 'patch', seq: count / STEP, patch: change.patch });
			expect([count, messages.value.length]).toEqual([count, 2 * most]);
		}
		const newest = all.slice(-most).map(({ id }) => id);
		for (const worker of [ORCHESTRATOR, FIRST_WORKER])
			expect(messages.value.filter(({ mailbox }) => mailbox.endsWith(`/${worker}`)).map(({ id }) => id)).toEqual(
				newest,
			);
		expect(unread.value).toBe(waiting);
		expect(seen.size).toBe(2 * most + 2);
		// A page that comes anew gets the same.
		const byKey = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1);
		expect(messages.value.toSorted(byKey)).toEqual(shown(view, MANY, as).messages.toSorted(byKey));
	},
);
