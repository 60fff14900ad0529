import { setTimeout as sleep } from 'node:timers/promises';
import { errorText, hasCode, NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { executorAt } from '../../executors/executorAt.ts';
import type { DelegateId } from '../../protocol/delegate.ts';
import type { ExecutorId } from '../../protocol/executorId.ts';
import type { TakenBack } from '../../protocol/remoteJob.ts';
import type { OperationContext } from '../operation.ts';
import type { MessageAt } from './messageAt.ts';

/** For so long the runner here may hold on to a message that is back there, in milliseconds: it looks at least once a minute. */
const HERE_MS = 90_000;
const STEP_MS = 100;

/**
 * Takes a carried message back: there, where its agent reads it, and then here. A kill in between leaves it waiting here, and a repeat takes it
 * back.
 * @returns whether its agent may have read it before
 * @throws NancyError `not-queued` if the agent has it, `timeout` if nobody knows, because the machine cannot be reached
 */
export async function takeBackElsewhere(
	{ id, ...address }: MessageAt,
	{ id: job, on }: { id: DelegateId; on: ExecutorId },
	context: OperationContext,
): Promise<Pick<TakenBack, 'mayBeRead'>> {
	const executor = executorAt(on, await context.installRuntime());
	const there = await executor.takeBack(job, id).catch((error: unknown) => {
		if (!hasCode(error, 'timeout', 'io')) throw error;
		throw new NancyError(
			'timeout',
			phrase`nobody knows whether message ${id} was taken back, so try again: ${errorText(error)}`,
		);
	});
	if (!there.isBack)
		throw new NancyError(
			'not-queued',
			phrase`message ${id} is not queued any more: its agent on ${on} has it or is getting it`,
		);
	const mailbox = context.workspace.mailbox(address);
	for (const givenUpAt = Date.now() + HERE_MS; ; await sleep(STEP_MS)) {
		try {
			// The runner here may have been killed.
			await mailbox.recover();
			await mailbox.withdraw(id);
			return there;
		} catch (error) {
			if (!hasCode(error, 'not-queued') || Date.now() > givenUpAt) throw error;
		}
	}
}
