import { existsSync } from 'node:fs';
import { errorText } from '../../base/errors.ts';
import { Delegates } from '../../core/delegates/delegates.ts';
import { lookAfterQueue } from './lookAfterQueue.ts';
import type { OperationContext } from '../operation.ts';

/**
 * Looks after the queue each time it is called. Delegates can be listed and stopped without it, so a failure is only noted: once, until
 * another one comes. Does nothing in a folder without `.nancy`.
 */
export function queueLook(context: OperationContext): () => Promise<void> {
	const { workspace, note } = context;
	let told: string | undefined;
	return async () => {
		if (!existsSync(workspace.paths.root)) return;
		try {
			await lookAfterQueue(new Delegates(workspace), context);
		} catch (error) {
			const text = `the queue is not looked after: ${errorText(error)}`;
			if (text !== told) note(text);
			told = text;
		}
	};
}
