import type { Outcome } from '../core/delegates/delegate.ts';
import type { Ending } from '../process/headlessRun.ts';

/** The outcome of a delegate at the end of its last attempt. */
export function outcomeOf(ending: Ending): Outcome {
	switch (ending.is) {
		case 'result': {
			const { text, failure } = ending.result;
			return failure ? { ok: false, reason: failure.reason, output: text } : { ok: true, output: text };
		}
		case 'timeout':
			return {
				ok: false,
				reason:
					ending.limit === 'wall'
						? 'timeout: it took too long'
						: 'timeout: nothing came from it for too long',
				output: '',
			};
		case 'cancelled':
			return cancelled();
		case 'no-result':
			return { ok: false, reason: ending.reason, output: '' };
	}
}

export function cancelled(): Outcome {
	return { ok: false, reason: 'cancelled', output: '' };
}
