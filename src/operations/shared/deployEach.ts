import { oneByOne } from '../../base/oneByOne.ts';
import { formatVersion } from '../../base/version.ts';
import type { Asker } from '../../core/asker/asker.ts';
import { deploy } from '../../core/deployment/deploy.ts';
import type { Runtime } from '../../core/deployment/runtime.ts';
import { switchedOff } from '../../core/deployment/silencers.ts';
import type { DeploymentScope } from '../../core/driver/deploymentPlan.ts';
import { askGit } from '../../git/askGit.ts';
import type { DeployedAgent, SetupOutput } from '../../protocol/output/deployment.ts';
import type { FoundAgent } from '../../core/driver/foundAgent.ts';
import { atStart, betweenAnswers } from './betweenAnswers.ts';
import { failureOf } from './failure.ts';
import { keepSettings, requireHooks } from './hooksChoice.ts';
import { noteSeen } from './noteSeen.ts';
import type { OperationContext } from '../operation.ts';

interface Deployment {
	scope: DeploymentScope;
	/** A person has named the agent, so its settings count as seen. Whoever names none has not thought of the settings of each. */
	isNamed: boolean;
}

/** Writes hooks and skills of each agent. A failure of one does not stop the others; a single agent's error is thrown. */
export async function deployEach(
	asker: Asker,
	context: OperationContext,
	found: readonly FoundAgent[],
	{ scope, isNamed }: Deployment,
): Promise<SetupOutput> {
	const { workspace } = context;
	await requireHooks(context);
	const runtime = await context.installRuntime();
	await keepSettings(asker, context);
	const { done: agents, failures } = await oneByOne(found, async each => {
		const done = await deployAgent(context, runtime, each, scope);
		const seen = isNamed ? await noteSeen(asker, each.driver, context, workspace.folder) : [];
		return { ...done, ...(seen.length > 0 && { seen }) };
	});
	const [first] = failures;
	if (first && found.length === 1) throw first.error;
	return {
		folder: workspace.folder,
		agents,
		failed: failures.map(({ item, error }) => ({ agent: item.driver.id, ...failureOf(error) })),
	};
}

/** Writes one agent's hooks and skills into the workspace, and reports the changes. */
export async function deployAgent(
	context: OperationContext,
	runtime: Runtime,
	{ driver, agent }: FoundAgent,
	scope: DeploymentScope,
): Promise<DeployedAgent> {
	const request = { runtime, agentVersion: agent.version, scope, askGit };
	const work = (isBusy: () => boolean) => deploy(context.workspace, driver, { ...request, isBusy });
	const { changed, warnings } =
		scope === 'launch'
			? await atStart(context, driver.id, work)
			: await betweenAnswers(context, isBusy => work(() => isBusy(driver.id)));
	return {
		agent: driver.id,
		agentVersion: formatVersion(agent.version),
		hookVersion: runtime.version,
		changed: [...changed],
		warnings: [...warnings, ...(await switchedOff(context.workspace.folder, driver, context.env))],
	};
}
