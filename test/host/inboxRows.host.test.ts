import assert from 'node:assert/strict';
import { Workspace, type WorkerAddress } from '../../src/core/workspace/workspace.ts';
import type { Author } from '../../src/protocol/author.ts';
import { MessageId, TaskName, WorkerName } from '../../src/protocol/names.ts';
import { MailItem, MessageItem } from '../../src/ui/inbox/inboxItems.ts';
import { mailRow, messageHover, messageRow } from '../../src/ui/inbox/inboxRows.ts';
import type { StoredMessage } from '../../src/core/mailbox/mailboxFiles.ts';
import { messageContent } from '../support/messageContent.ts';
import { taskView } from '../support/taskViews.ts';
import { unusedFolder } from '../support/unusedFolder.ts';

const TITLE = 'Fix the rounding of the tea timer';
const alone = taskView('alone', { title: TITLE, workers: ['working'] });
const pair = taskView('pair', { title: 'Find dead code', workers: ['working', 'working'] });
const folder = Object.assign(unusedFolder(new Workspace('/project')), {
	overview: () => ({ tasks: [alone, pair], problems: [] }),
	messages: () => ({ messages: [], problems: [] }),
});
const at = (task: string, worker: string): WorkerAddress => ({
	task: TaskName.parse(task),
	worker: WorkerName.parse(worker),
});

function message(text: string, author: Author): StoredMessage {
	const id = MessageId.parse('20261123T120000000Z-0a1b2c3d');
	return { id, state: 'delivered', file: '/m', content: messageContent(text, { kind: 'feedback' }), author };
}

const from = (task: string, worker: string): Author => ({ is: 'agent', worker: `${task}/${worker}` });
const toUser = (text: string, author: Author) => new MailItem(folder, TaskName.parse('alone'), message(text, author));
const noLimit = () => undefined;

describe('a row of the inbox', () => {
	it('leaves room for the words: a long title is cut, and whole in the hover and for a screen reader', () => {
		const item = toUser('Shall I round up?', from('alone', 'worker'));
		const row = mailRow(item);
		assert.equal(row.label, 'Fix the roun… asks · Shall I round up?');
		assert.match(row.accessibilityInformation?.label ?? '', new RegExp(`from ${TITLE}`));
		assert.match(messageHover(item, noLimit).value, new RegExp(TITLE.replaceAll(' ', '(?: |&nbsp;)')));
	});

	it('names the writer of a task with several workers by its own name', () => {
		assert.equal(mailRow(toUser('It is done.', from('pair', 'worker-2'))).label, 'worker-2 writes · It is done.');
	});

	it('begins with the writer also among agents, and names the reader behind the words', () => {
		const item = new MessageItem(folder, at('pair', 'worker'), message('Wait for me', from('pair', 'worker-2')));
		const row = messageRow(item, noLimit);
		assert.equal(row.label, 'worker-2 writes · Wait for me');
		assert.match(String(row.description), /^to Find dead code · worker · /);
		const own = new MessageItem(folder, at('alone', 'worker'), message('Mind it', { is: 'human', via: 'window' }));
		assert.equal(messageRow(own, noLimit).label, 'Mind it');
	});
});
