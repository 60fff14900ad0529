import * as z from 'zod/mini';
import { DriverId } from '../protocol/names.ts';
import { findAgent, knownDriver } from './agents.ts';
import { deployAgent } from './deployEach.ts';
import { hasHooks, keepSettings } from './hooksChoice.ts';
import { noteSeen } from './noteSeen.ts';
import type { Operation } from './operation.ts';
import { refuseTracked } from '../git/refuseTracked.ts';

const Input = z.object({ agent: DriverId });
const Output = z.object({ warnings: z.array(z.string()) });

/** Writes the files that agents of this kind need when Nancy starts them. */
export const prepareStart: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'prepareStart',
	input: Input,
	output: Output,
	permit: (_asker, _input, context) => refuseTracked(context.workspace),
	async run(asker, { agent }, context) {
		const found = await findAgent(knownDriver(agent), context.env);
		await keepSettings(context);
		if (!(await hasHooks(context))) return { warnings: [] };
		const { warnings } = await deployAgent(context, await context.installRuntime(), found, 'launch');
		await noteSeen(asker, found.driver, context, context.workspace.folder);
		return { warnings };
	},
};
