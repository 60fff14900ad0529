import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { permit } from '../core/asker/permit.ts';
import { deployedIn } from '../core/deployment/cleanUp.ts';
import { drivers } from '../drivers/index.ts';
import { seekerOf } from '../process/detect.ts';
import { SetupOutput } from '../protocol/output/deployment.ts';
import { findAgent, knownDriver } from './shared/agents.ts';
import { deployEach } from './shared/deployEach.ts';
import type { Operation } from './operation.ts';
import { refuseTracked } from '../git/refuseTracked.ts';
import { oneByOne } from '../base/oneByOne.ts';
import { failureOf } from './shared/failure.ts';

const Input = z.object({ agent: z.optional(z.string()) });

/** Writes the present deployment again, for the installed versions. */
export const update: Operation<z.infer<typeof Input>, SetupOutput> = {
	name: 'update',
	input: Input,
	output: SetupOutput,
	async permit(asker, _, context) {
		permit(asker, { is: 'change-settings', command: 'nancy update' });
		await refuseTracked(context.workspace);
	},
	async run(asker, { agent }, context) {
		const deployed = await deployedIn(context.workspace, drivers, context.dataFolder);
		const ids = deployed.filter(id => agent === undefined || id === agent);
		if (ids.length === 0) {
			throw new NancyError(
				'wrong-state',
				agent === undefined
					? phrase`nothing is deployed here; nancy setup does that`
					: phrase`${agent} is not deployed here; nancy setup does that`,
			);
		}
		const { done: found, failures } = await oneByOne(ids, id =>
			findAgent(knownDriver(id), context, seekerOf(asker)),
		);
		const [first] = failures;
		if (first && ids.length === 1) throw first.error;
		// At least: a deployment for sessions that the user starts goes on serving them.
		// Agents can have a person do this: they break Nancy's entries, and the doctor complains. So no settings count as seen by it.
		const output = await deployEach(asker, context, found, { scope: 'launch', isNamed: false });
		// One that is not installed any more, or does not answer, keeps no other one.
		const missing = failures.map(({ item, error }) => ({ agent: item, ...failureOf(error) }));
		return { ...output, failed: [...missing, ...output.failed] };
	},
};
