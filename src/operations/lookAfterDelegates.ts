import * as z from 'zod/mini';
import { anybody, type Operation } from './operation.ts';
import { queueLook } from './shared/queueLook.ts';

const Nothing = z.object({});

/** Ends delegates whose runner was killed, and starts those whose turn it is. A failure is noted. */
export const lookAfterDelegates: Operation<z.infer<typeof Nothing>, z.infer<typeof Nothing>> = {
	name: 'lookAfterDelegates',
	input: Nothing,
	output: Nothing,
	permit: anybody,
	async run(_asker, _input, context) {
		await queueLook(context)();
		return {};
	},
};
