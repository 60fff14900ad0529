import type { StoredMessage } from '../../src/core/mailbox/mailboxFiles.ts';
import type { Workspace, WorkerAddress } from '../../src/core/workspace/workspace.ts';
import type { MessageContent } from '../../src/protocol/message.ts';
import type { MessageId } from '../../src/protocol/names.ts';
import { eventually } from './eventually.ts';
import { BY_USER, messageContent } from './messageContent.ts';

/** What a lab with a real agent sends to it, and what became of that. */
export interface LabMail {
	send(address: WorkerAddress, text: string, more?: Partial<MessageContent>): Promise<MessageId>;
	/** The message once it has been delivered, with its receipt. */
	delivered(address: WorkerAddress, id: MessageId, timeoutMs?: number): Promise<StoredMessage>;
}

/** @param patienceMs the longest wait for a delivery that names none of its own */
export function labMail(nancy: Workspace, patienceMs: number): LabMail {
	return {
		send: (address, text, more) => nancy.send(address, messageContent(text, more), BY_USER),
		delivered: (address, id, timeoutMs = patienceMs) =>
			eventually(
				`message ${id} delivered`,
				async () => {
					const { messages } = await nancy.mailbox(address).list(['delivered']);
					return messages.find(message => message.id === id);
				},
				{ timeoutMs },
			),
	};
}
