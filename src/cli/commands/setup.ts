import { dataFolder } from '../../base/folders.ts';
import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import { oneByOne } from '../../base/oneByOne.ts';
import { permit } from '../../core/asker/permit.ts';
import type { DeploymentScope } from '../../core/driver/driver.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import { SetupOutput } from '../../protocol/output/deployment.ts';
import type { FoundAgent } from '../agents.ts';
import { answer, command, type Answer, type Context } from '../command.ts';
import { ExitCode, failureOf } from '../failure.ts';
import { noteSeen } from '../headlessOptions.ts';
import { findOrChooseWorkspace, findWorkspace } from '../place.ts';
import { printableLine } from '../words.ts';

const Input = z.object({ agent: z.optional(z.string()) });

const options = { agent: { value: 'AGENT', help: 'only this agent' } };

export const setup = command(
	{
		name: 'setup',
		summary: 'write the hooks and skills that agents need into this workspace',
		details: [
			"Adds Nancy's entries to the agents' own settings, so that sessions report and listen, and skills that teach them the " +
				'nancy command. Safe to repeat; nancy cleanup takes it back. Without --agent: for every agent that is installed.',
		],
		positionals: [],
		options,
		examples: [['nancy setup', 'also serves sessions that you start yourself']],
	},
	Input,
	async ({ agent }, context) => {
		permit(context.asker, { is: 'change-settings', command: 'nancy setup' });
		const { chooseAgent, foundAgents } = await import('../agents.ts');
		const workspace = findOrChooseWorkspace(context);
		const found = agent === undefined ? await foundAgents(context.env) : [];
		// With none found, choosing one says what to install.
		return deployAll(
			workspace,
			context,
			found.length > 0 ? found : [await chooseAgent(workspace, context, agent)],
			'workspace',
		);
	},
);

export const update = command(
	{
		name: 'update',
		summary: 'write again what is deployed here, for the versions that are here now',
		details: [
			'For the present versions of Nancy and of the agents. Without --agent: for every agent that is deployed here.',
		],
		positionals: [],
		options,
		examples: [['nancy update', 'after Nancy or an agent was updated']],
	},
	Input,
	async ({ agent }, context) => {
		permit(context.asker, { is: 'change-settings', command: 'nancy update' });
		const [{ findAgent, knownDriver }, { deployedIn }, { drivers }] = await Promise.all([
			import('../agents.ts'),
			import('../../core/deployment/cleanUp.ts'),
			import('../../drivers/index.ts'),
		]);
		const workspace = findWorkspace(context);
		const deployed = await deployedIn(workspace, drivers, dataFolder(context.env));
		const ids = deployed.filter(id => agent === undefined || id === agent);
		if (ids.length === 0) {
			throw new NancyError(
				'wrong-state',
				`${agent === undefined ? 'nothing is deployed here' : `${agent} is not deployed here`}; nancy setup does that`,
			);
		}
		const found = await Promise.all(ids.map(id => findAgent(knownDriver(id), context.env)));
		// At least: what was deployed for sessions that the user starts goes on serving them.
		return deployAll(workspace, context, found, 'launch');
	},
);

async function deployAll(
	workspace: Workspace,
	context: Context,
	found: readonly FoundAgent[],
	scope: DeploymentScope,
): Promise<Answer> {
	if ((await workspace.config()).hooks === 'off') {
		throw new NancyError(
			'wrong-state',
			`hooks are off here ("hooks" in ${workspace.paths.config}, from VS Code's nancy.hooks); turn them on and try again`,
		);
	}
	const [{ deployAgent, ownRuntime }, { refuseTracked }] = await Promise.all([
		import('../agents.ts'),
		import('../../git/refuseTracked.ts'),
	]);
	await refuseTracked(workspace);
	const runtime = await ownRuntime(context);
	const { done: agents, failures } = await oneByOne(found, async each => {
		const done = await deployAgent(workspace, context, runtime, each, scope);
		await noteSeen(each.driver, workspace.folder, context);
		return done;
	});
	const [first] = failures;
	if (first && found.length === 1) throw first.error;
	for (const { warnings } of agents) for (const warning of warnings) context.note(warning);
	const failed = failures.map(({ item, error }) => ({ agent: item.driver.id, ...failureOf(error) }));
	for (const { agent, message } of failed) context.note(`${agent} was not set up: ${message}`);
	return answer(
		SetupOutput,
		{
			folder: workspace.folder,
			agents,
			failed: failed.map(({ agent, code, message }) => ({ agent, code, message })),
		},
		[
			`in ${printableLine(workspace.folder, 1000)}`,
			...agents.flatMap(({ agent, agentVersion, changed }) => [
				`${agent} ${agentVersion}: ${changed.length === 0 ? 'all is as it should be' : 'written'}`,
				...changed.map(file => `  ${printableLine(file, 1000)}`),
			]),
			...failed.map(({ agent }) => `${agent}: failed`),
		],
		// Of several the first, as if it had been alone.
		failed[0]?.exitCode ?? ExitCode.ok,
	);
}
