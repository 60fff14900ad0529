import { l10n } from 'vscode';
import { NancyError } from '../../base/errors.ts';
import type { Orchestrator } from './orchestrate.ts';
import type { WorkerItem } from './tasksView.ts';

interface Forking {
	orchestrator: Pick<Orchestrator, 'fork'>;
	agentName: (driver: string) => string;
	/** Whether an agent's CLI can begin a conversation as a copy of another. */
	canFork: (agent: string) => boolean;
}

/** @throws NancyError `agent-too-old` if the agent's CLI cannot fork a conversation; the palette offers every worker */
export async function forkWorker(own: Forking, { folder, address, worker }: WorkerItem): Promise<void> {
	const { agent } = worker.record;
	if (!own.canFork(agent))
		throw new NancyError('agent-too-old', l10n.t('{0} cannot fork a conversation.', own.agentName(agent)));
	await own.orchestrator.fork(folder, address, agent);
}
