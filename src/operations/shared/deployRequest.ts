import type { DeployRequest } from '../../core/deployment/job.ts';
import type { Driver } from '../../core/driver/driver.ts';
import { isRunning } from '../../core/workspace/workerLife.ts';
import type { Overview } from '../../core/live/overview.ts';
import { askGit } from '../../git/askGit.ts';
import { refuseTracked } from '../../git/refuseTracked.ts';
import { detect } from './agents.ts';
import { hasHooks } from './hooksChoice.ts';
import type { OperationContext } from '../operation.ts';
import { isAsking } from './isAsking.ts';

/**
 * The deployment that an agent needs right now: nothing in Restricted Mode, without hooks, or while no worker of the agent runs. The keeper
 * of the deployment repairs by it, so nobody asks for it.
 * @throws NancyError `not-trusted` if git tracks the `.nancy`
 */
export async function deployRequest(
	driver: Driver,
	overview: () => Overview,
	context: OperationContext,
): Promise<DeployRequest | undefined> {
	if (!context.isTrusted) return undefined;
	const workers = overview().tasks.flatMap(task => task.workers);
	if (!workers.some(({ record }) => record.agent === driver.id && isRunning(record))) return undefined;
	if (!(await hasHooks(context))) return undefined;
	await refuseTracked(context.workspace);
	const found = await detect(driver, context, 'person');
	if (!found.found) return undefined;
	const runtime = await context.installRuntime();
	const isBusy = () => isAsking(context, overview(), driver.id);
	return { runtime, agentVersion: found.version, scope: 'launch', isBusy, askGit };
}
