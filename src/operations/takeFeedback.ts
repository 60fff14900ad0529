import { watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { errorText } from '../base/errors.ts';
import { Pause } from '../base/pause.ts';
import type { Asker } from '../core/asker/asker.ts';
import { ownAddress } from '../core/asker/authorOf.ts';
import { claimBatch } from '../core/mailbox/batch.ts';
import type { Mailbox } from '../core/mailbox/mailbox.ts';
import { keepReceipts } from '../core/sessions/keepReceipts.ts';
import { keepNote } from '../core/traffic/keepInSpool.ts';
import { mayHandOver } from '../git/mayHandOver.ts';
import { MessageId, SessionId } from '../protocol/names.ts';
import type { AgentEvent } from '../protocol/traffic.ts';
import { anybody, type Operation, type OperationContext } from './operation.ts';
import { ownMailbox, type OwnMailbox } from './shared/ownMailbox.ts';

const Input = z.object({
	/** As the agent's CLI names it. */
	session: z.optional(SessionId),
	/** What the agent called, for the receipt. */
	event: z.string(),
	/** How long to wait for a first message, in milliseconds. */
	waitMs: z.number().check(z.nonnegative()),
});
type Input = z.infer<typeof Input>;

const Output = z.object({ handed: z.array(MessageId) });

/** The way to the asking agent. */
export interface HandingContext extends OperationContext {
	/** False if the agent does not have the text. */
	readonly hand: (text: string) => Promise<boolean>;
	/** The agent waits no longer. */
	readonly signal: AbortSignal;
}

/** Hands the asking agent what is due when it is done: the same messages as its hook then, and each to one of the two. */
export const takeFeedback: Operation<Input, z.infer<typeof Output>, HandingContext> = {
	name: 'takeFeedback',
	input: Input,
	output: Output,
	permit: anybody,
	async run(asker, { session, event, waitMs }, context) {
		const own = await ownMailbox(asker, context, session);
		const mailbox = context.workspace.mailbox(own.address);
		await mailbox.makeFolders();
		const deadlineMs = Date.now() + waitMs;
		const handed = await whenInboxChanges(mailbox, context.signal, async changed => {
			for (;;) {
				const found = await handOver(asker, own, event, context);
				if (found.length > 0 || context.signal.aborted || Date.now() >= deadlineMs) return found;
				await changed(deadlineMs);
			}
		});
		return { handed };
	},
};

/** From the claim to the receipt, all is done in the same folders. */
function handOver(asker: Asker, own: OwnMailbox, event: string, context: HandingContext): Promise<MessageId[]> {
	const { workspace, hand } = context;
	const { address, driver, session } = own;
	const mailbox = workspace.mailbox(address);
	return mailbox.holding(async () => {
		if (!mailbox.isWaiting()) return [];
		const occasion = { kind: 'stop', slot: 'end', session, canFile: ownAddress(asker) !== undefined } as const;
		const batch = await claimBatch(mailbox, occasion, driver.hooks.contextLimit, due =>
			mayHandOver(workspace, mailbox, due),
		);
		if (batch.claims.length === 0) return [];
		let isHanded = false;
		try {
			isHanded = await hand(batch.text);
		} finally {
			if (!isHanded) for (const claim of batch.claims) claim.release();
		}
		if (!isHanded) return [];
		const asked: AgentEvent = { driver: driver.id, session, kind: 'stop', event };
		const place = {
			workspace,
			note: (note: Parameters<typeof keepNote>[2]) => keepNote(workspace, { driver: driver.id, event }, note),
		};
		// The agent has them. A failure now is none of the call's.
		await keepReceipts(place, address, asked, batch, 'tool').catch((error: unknown) =>
			context.note(errorText(error)),
		);
		return batch.claims.map(({ id }) => id);
	});
}

/** The system gives so many watchers and no more. */
function watchOr(folder: string, end: () => void): FSWatcher | undefined {
	try {
		return watch(folder, { persistent: false }, end).on('error', end);
	} catch {
		return undefined;
	}
}

async function whenInboxChanges<T>(
	{ folder }: Mailbox,
	signal: AbortSignal,
	work: (changed: (deadlineMs: number) => Promise<void>) => Promise<T>,
): Promise<T> {
	const pause = new Pause();
	const end = () => pause.end();
	// The pause also ends by itself, so nothing is missed without a notification.
	const watcher = watchOr(join(folder, 'inbox'), end);
	signal.addEventListener('abort', end);
	try {
		return await work(deadlineMs => pause.take(deadlineMs));
	} finally {
		watcher?.close();
		signal.removeEventListener('abort', end);
	}
}
