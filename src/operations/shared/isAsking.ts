import { liveness } from '../../base/liveness.ts';
import type { Overview } from '../../core/live/overview.ts';
import { processesOf } from '../../core/sessions/sealedAgents.ts';
import type { DriverId } from '../../protocol/names.ts';
import type { OperationContext } from '../operation.ts';

/**
 * Whether a person is answering a question of this agent, which may then write its settings file itself. The question is read from
 * `.nancy`, where a file of anybody's could say it for good. So it counts only while a process lives that is sealed as the worker's.
 */
export function isAsking(
	{ workspace }: Pick<OperationContext, 'workspace'>,
	{ tasks }: Overview,
	agent: DriverId,
): boolean {
	const { folder, own } = workspace;
	return tasks
		.flatMap(task => task.workers)
		.filter(({ record, state }) => record.agent === agent && state.phase === 'waiting')
		.map(({ record: { task, name: worker } }) => ({ folder, address: { task, worker } }))
		.some(worker => processesOf(own.dataFolder, worker).some(({ process }) => liveness(process) === 'alive'));
}
