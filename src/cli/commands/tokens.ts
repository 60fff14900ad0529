import * as z from 'zod/mini';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { findWorkspace } from '../../operations/shared/place.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { TokensOutput } from '../../protocol/output/tasks.ts';
import { resolveMailbox } from '../../operations/shared/addresses.ts';
import { answer, command } from '../command.ts';
import { printableLine } from '../words.ts';

const Input = z.object({ of: z.optional(z.string()) });

export const tokens = command(
	{
		name: 'tokens',
		summary: "show how full an agent's context window is",
		details: [
			'Of the current session, against the threshold of the workspace (tokenThreshold in .nancy/config.json). Without an ' +
				'argument: the worker in whose terminal it runs.',
		],
		positionals: [{ name: 'of', label: '<task>[/<worker>]', help: 'whose session', required: false }],
		options: {},
		examples: [['nancy tokens fix-login/worker-2 --json', 'for a program']],
	},
	Input,
	async ({ of }, context) => {
		const workspace = findWorkspace(context);
		const input = of === undefined ? {} : { of: await resolveMailbox(workspace, context.asker, of) };
		const where = programContext(workspace, context);
		const output = await perform(await operations.tokens(), context.asker, input, where);
		return answer(TokensOutput, output, lines(output));
	},
);

function lines(output: z.infer<typeof TokensOutput>): string[] {
	const { worker, model, inputTokens, outputTokens, costUsd, usedPercent, overThreshold } = output;
	const facts = [
		// An agent may tell of its context alone.
		inputTokens + outputTokens === 0 ? '' : `${inputTokens} tokens in, ${outputTokens} out`,
		costUsd === undefined ? '' : `$${costUsd.toFixed(2)}`,
		model === undefined ? '' : printableLine(model),
	];
	return [
		`${worker}: ${fillWords(output)}`,
		...(usedPercent === undefined
			? []
			: [
					overThreshold
						? 'over the threshold: finish the step at hand and write down what is left'
						: 'below the threshold',
				]),
		...[facts.filter(fact => fact !== '').join(', ')].filter(line => line !== ''),
	];
}

function fillWords({
	contextTokens,
	contextWindow,
	usedPercent,
	thresholdPercent,
}: z.infer<typeof TokensOutput>): string {
	if (contextTokens === undefined) return 'nothing is known of its context yet';
	if (usedPercent === undefined) return `${contextTokens} tokens in context; how many fit is not known`;
	return `${contextTokens} of ${contextWindow} tokens in context, ${usedPercent} % (threshold ${thresholdPercent} %)`;
}
