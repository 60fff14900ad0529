import * as z from 'zod/mini';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { SetupOutput } from '../../protocol/output/deployment.ts';
import { NancyError } from '../../base/errors.ts';
import { answer, command, type Answer, type Context } from '../command.ts';
import { ExitCode, exitCodeFor } from '../failure.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { findOrChooseWorkspace, findWorkspace } from '../../operations/shared/place.ts';
import { printableLine } from '../words.ts';

const Input = z.object({ agent: z.optional(z.string()) });

const options = { agent: { value: 'AGENT', help: 'only this agent' } };

const SetupInput = z.extend(Input, {
	plugin: z._default(z.boolean(), false),
	'import-notes': z._default(z.boolean(), false),
});

export const setup = command(
	{
		name: 'setup',
		summary: 'write the hooks and skills that agents need into this workspace',
		details: [
			"Adds Nancy's entries to the agents' own settings, so that sessions report and listen, and skills that teach them the " +
				'nancy command. Safe to repeat; nancy cleanup takes it back. Without --agent: for every agent that is installed.',
			"With --agent, that agent's other settings count as seen by you, and are listed: agents may start it with them.",
		],
		positionals: [],
		options: {
			...options,
			plugin: {
				help: "write nothing into agents' settings: only let an agent's plugin of Nancy serve this folder",
			},
			'import-notes': {
				help: 'write only a line into the file of instructions that agents read, by which they get the notes of the project as they start',
			},
		},
		examples: [
			['nancy setup', 'also serves sessions that you start yourself'],
			['nancy setup --plugin', 'the plugin that you have installed in your agent does'],
			['nancy setup --import-notes', 'agents without hooks know the notes of your project, too'],
		],
	},
	SetupInput,
	async ({ 'import-notes': importNotes, ...input }, context) => {
		if (importNotes && (input.plugin || input.agent !== undefined))
			throw new NancyError('bad-usage', '--import-notes stands alone: it is for every agent that reads the file');
		return answerFor(
			await perform(
				await operations.setUp(),
				context.asker,
				{ ...input, importNotes },
				programContext(findOrChooseWorkspace(context), context),
			),
			context,
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
	async (input, context) =>
		answerFor(
			await perform(
				await operations.update(),
				context.asker,
				input,
				programContext(findWorkspace(context), context),
			),
			context,
		),
);

/** The settings that follow are not Nancy's. */
const SEEN = 'agents may start it from now on with these settings, which can run commands; look at them';

function answerFor(done: SetupOutput, context: Context): Answer {
	const { folder, agents, failed } = done;
	for (const { warnings } of agents) for (const warning of warnings) context.note(warning);
	for (const { agent, message } of failed) context.note(`${agent} was not set up: ${String(message)}`);
	return answer(
		SetupOutput,
		done,
		[
			`in ${printableLine(folder, 1000)}`,
			...agents.flatMap(({ agent, agentVersion, changed, seen = [] }) => [
				`${agent} ${agentVersion}: ${changed.length === 0 ? 'all is as it should be' : 'written'}`,
				...changed.map(file => `  ${printableLine(file, 1000)}`),
				...(seen.length === 0 ? [] : [`${agent}: ${SEEN}`]),
				...seen.map(file => `  ${printableLine(file, 1000)}`),
			]),
			...failed.map(({ agent }) => `${agent}: failed`),
		],
		// The exit code is that of the first failure.
		failed[0] ? exitCodeFor(failed[0].code) : ExitCode.ok,
	);
}
