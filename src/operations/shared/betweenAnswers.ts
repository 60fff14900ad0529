import { hasCode } from '../../base/errors.ts';
import type { DriverId } from '../../protocol/names.ts';
import type { OperationContext } from '../operation.ts';
import { isAsking } from './isAsking.ts';

/** How long a person may take to answer an agent, in milliseconds, before an operation that is kept from its work by that gives up. */
const PATIENCE_MS = 5000;

/**
 * Runs work that writes agents' settings files. An agent may be writing the same file while a person answers it, so a `busy` failure is
 * retried for a while.
 */
export async function betweenAnswers<T>(
	context: Pick<OperationContext, 'watch' | 'note' | 'workspace'>,
	work: (isBusy: (agent: DriverId) => boolean) => Promise<T>,
): Promise<T> {
	return context.watch(async ({ overview, changed }) => {
		const deadlineMs = Date.now() + PATIENCE_MS;
		for (let isFirst = true; ; isFirst = false) {
			let wasBusy = false;
			try {
				return await work(agent => {
					const isBusy = isAsking(context, overview(), agent);
					wasBusy ||= isBusy;
					return isBusy;
				});
			} catch (error) {
				const mayPass = wasBusy && hasCode(error, 'busy');
				if (!mayPass || Date.now() >= deadlineMs) throw error;
				if (isFirst)
					context.note('an agent waits for an answer in its terminal; trying again for a few seconds');
			}
			await changed(deadlineMs);
		}
	});
}

/**
 * {@link betweenAnswers} for work on one agent's files at its start, where mostly nothing has to be written. Only if something has, it looks
 * which agent is being answered: that look reads all that agents have done here.
 */
export async function atStart<T>(
	context: Pick<OperationContext, 'watch' | 'note' | 'workspace'>,
	agent: DriverId,
	work: (isBusy: () => boolean) => Promise<T>,
): Promise<T> {
	let hasToWrite = false;
	try {
		const done = await work(() => (hasToWrite = true));
		if (!hasToWrite) return done;
	} catch (error) {
		if (!hasToWrite) throw error;
	}
	return betweenAnswers(context, isBusy => work(() => isBusy(agent)));
}
