import * as z from 'zod/mini';
import type { AgentsOutput } from '../../operations/listAgents.ts';
import { perform } from '../../operations/operation.ts';
import { findOrChooseWorkspace } from '../../operations/shared/place.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { answer, command } from '../command.ts';
import { printableLine } from '../words.ts';

export const agents = command(
	{
		name: 'agents',
		summary: 'list the agents that Nancy can start here, and why not the others',
		details: [
			'Each with its program and version, and with what that version lacks. Agents of your own are those of the setting agentServers.',
		],
		positionals: [],
		options: {},
		examples: [['nancy agents', 'what --agent takes']],
	},
	z.object({}),
	async (_input, context) => {
		const here = programContext(findOrChooseWorkspace(context), context);
		const { listAgents } = await import('../../operations/listAgents.ts');
		const done = await perform(listAgents, context.asker, {}, here);
		return answer(listAgents.output, done, done.agents.flatMap(lines));
	},
);

function lines({ id, displayName, found, problem, lacks, isUntried }: AgentsOutput['agents'][number]): string[] {
	const heading = `${id}  ${displayName}${isUntried ? ' (not tried with Nancy)' : ''}`;
	if (!found) return [`${heading}: ${printableLine(String(problem), 1000)}`];
	const version = found.version === '' ? '' : ` ${found.version}`;
	const missing = lacks.length === 0 ? [] : [`  lacks: ${lacks.join(', ')}`];
	return [`${heading}${version}, ${printableLine(found.executable, 1000)}`, ...missing];
}
