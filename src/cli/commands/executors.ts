import * as z from 'zod/mini';
import { perform } from '../../operations/operation.ts';
import { findOrChooseWorkspace } from '../../operations/shared/place.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import type { Executor } from '../../protocol/output/executors.ts';
import { answer, command } from '../command.ts';
import { ExitCode } from '../failure.ts';
import { printableLine } from '../words.ts';

export const executors = command(
	{
		name: 'executors',
		summary: 'list the machines that delegates can run on, and what they lack',
		details: [
			'The machines are those of the setting delegates.executors, and the hosts of ~/.ssh/config. It connects only with --probe, or to those that you name.',
		],
		positionals: [
			{
				name: 'names',
				label: 'NAME',
				required: false,
				help: 'probe these alone: a name of your settings, or ssh:<host>',
				many: true,
			},
		],
		options: { probe: { help: 'connect to each, and say what it has and lacks' } },
		examples: [
			['nancy executors', 'what delegate --on takes'],
			['nancy executors ssh:gpu1', 'whether a delegate can run there'],
		],
	},
	z.object({ names: z._default(z.array(z.string()), []), probe: z._default(z.boolean(), false) }),
	async ({ names, probe }, context) => {
		const here = programContext(findOrChooseWorkspace(context), context);
		const { listExecutors } = await import('../../operations/listExecutors.ts');
		const done = await perform(listExecutors, context.asker, { names, isProbed: probe }, here);
		const isProbed = probe || names.length > 0;
		const isLacking = isProbed && done.executors.some(({ lacks }) => lacks.length > 0);
		const text = done.executors.length === 0 ? ['no machine is named'] : done.executors.flatMap(lines);
		return answer(listExecutors.output, done, text, isLacking ? ExitCode.failed : ExitCode.ok);
	},
);

function lines({ name, id, fromAgents, isReachable, has, lacks }: Executor): string[] {
	const open = fromAgents ? ' (open to agents)' : '';
	const heading = `${name === id ? name : `${name}  ${id}`}${open}`;
	if (isReachable === undefined) return [heading];
	const missing = lacks.map(each => `  lacks: ${printableLine(String(each), 1000)}`);
	if (!isReachable) return [`${heading}: not reached`, ...missing];
	const state = `${heading}: ${missing.length === 0 ? 'ready' : 'not ready'}`;
	if (!has) return [state, ...missing];
	const { bubblewrap, sandboxFault } = has;
	const sandbox = sandboxFault === '' ? bubblewrap : `${bubblewrap} (makes no sandbox)`;
	const agents = has.agents.map(({ id: agent, version }) => `${agent} ${version}`);
	return [
		state,
		`  ${[`node ${has.node || '-'}`, has.git || 'no git', has.slurm, sandbox, agents.join(', ') || 'no agent'].filter(Boolean).join(', ')}`,
		`  ${(has.freeBytes / 1024 ** 3).toFixed(1)} GB free, survives logout: ${has.survivesLogout}`,
		...missing,
	];
}
