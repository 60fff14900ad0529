import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import { permit } from '../../core/asker/permit.ts';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { findOrChooseWorkspace } from '../../operations/shared/place.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { DelegateId } from '../../protocol/delegate.ts';
import { RunOutput } from '../../protocol/output/delegates.ts';
import { answer, command, type Answer, type Context } from '../command.ts';
import { ExitCode } from '../failure.ts';
import { featureOf, limitsOf, workingFolder } from '../headlessOptions.ts';
import { readText, readTextFile } from '../readText.ts';
import { withCancel } from '../withCancel.ts';

const Input = z.object({
	headless: z._default(z.boolean(), false),
	delegate: z.optional(DelegateId),
	remote: z.optional(z.string()),
	'remote-job': z.optional(DelegateId),
	prompt: z.optional(z.string()),
	'prompt-file': z.optional(z.string()),
	stdin: z._default(z.boolean(), false),
	'output-file': z.optional(z.string()),
	'working-dir': z.optional(z.string()),
	agent: z.optional(z.string()),
	model: z.optional(z.string().check(z.minLength(1))),
	permissions: z.optional(z.string()),
	timeout: z.optional(z.string()),
	'idle-timeout': z.optional(z.string()),
	extra: z.array(z.string()),
});
type Input = z.infer<typeof Input>;

export const run = command(
	{
		name: 'run',
		summary: 'run an agent once, without a terminal, and print its answer',
		details: [
			'Prints what the agent does as it does it, then its answer. For scripts, xargs and CI: nothing is asked. ' +
				'Actions that need a permission are denied and listed. The exit code tells success (0), failure (1), timeout (4) and ' +
				'cancelled by SIGINT or SIGTERM (130).',
			'--delegate is what Nancy itself calls to run a delegate of the queue.',
		],
		positionals: [],
		options: {
			headless: { help: 'without a terminal; the only way there is' },
			prompt: { value: 'TEXT', short: 'p', help: 'the prompt' },
			'prompt-file': { value: 'FILE', help: 'file with the prompt' },
			stdin: { help: 'reads the prompt from standard input' },
			'output-file': { value: 'FILE', help: 'also writes the answer there, whole or not at all' },
			'working-dir': { value: 'FOLDER', help: 'folder to work in; default: the current one' },
			agent: { value: 'AGENT', help: 'the agent; default: the first found' },
			model: { value: 'MODEL', help: 'the model, as the agent names it' },
			permissions: { value: 'MODE', help: 'the permission mode, as the agent names it' },
			timeout: { value: 'SECONDS', help: 'longest time; default 1800' },
			'idle-timeout': { value: 'SECONDS', help: 'longest time without any output; default 600' },
			delegate: { value: 'ID', help: 'runs this delegate of the workspace (for Nancy itself)' },
			remote: {
				value: 'STEP',
				help: 'a step of a delegate that another machine has sent here (for Nancy itself)',
			},
			'remote-job': { value: 'ID', help: 'the delegate of that step (for Nancy itself)' },
		},
		extra: 'arguments for the agent, passed on unchanged; one that replaces --permissions needs the widest mode',
		examples: [
			['nancy run --headless --prompt-file task.md --output-file result.txt', 'the answer is in the file, too'],
			['git diff | nancy run --headless --stdin --permissions plan', 'the prompt comes through a pipe'],
		],
	},
	Input,
	async (input, context) => {
		if (input.delegate !== undefined) {
			const { runOfQueue } = await import('../runOfQueue.ts');
			return runOfQueue(input.delegate, context);
		}
		if (input.remote !== undefined) {
			const { remoteStep } = await import('../remoteStep.ts');
			return remoteStep(input.remote, input['remote-job'], context);
		}
		if (!input.headless) {
			throw new NancyError('bad-usage', 'add --headless; with a terminal, nancy orchestrate starts an agent');
		}
		return runOnce(input, context);
	},
);

async function runOnce(input: Input, context: Context): Promise<Answer> {
	// The operation refuses an output file too, but not before the prompt is read.
	for (const option of ['prompt-file', 'output-file'] as const) {
		const file = input[option];
		if (file !== undefined) permit(context.asker, { is: option, file });
	}
	const folder = workingFolder(input['working-dir'], context);
	const where = {
		...programContext(findOrChooseWorkspace(context), context),
		show: (line: string) => {
			if (!context.wantsJson) context.writeLine(line);
		},
	};
	const asked = {
		prompt: await promptOf(input, context),
		folder,
		agent: input.agent,
		model: input.model,
		permissions: input.permissions,
		extra: input.extra,
		limits: limitsOf(input),
		outputFile: input['output-file'] && resolve(context.cwd, input['output-file']),
		feature: featureOf(input['prompt-file']),
	};
	const operation = await operations.run();
	const { run: ran, ending } = await withCancel(signal =>
		perform(operation, context.asker, asked, { ...where, signal }),
	);
	if (ran.reason !== undefined) context.note(ran.reason);
	// The agent's last text was already shown.
	return answer(RunOutput, ran, '', ran.ok ? ExitCode.ok : FAILED[ending]);
}

const FAILED = {
	result: ExitCode.failed,
	'no-result': ExitCode.failed,
	timeout: ExitCode.timeout,
	cancelled: ExitCode.cancelled,
};

async function promptOf(input: Input, context: Context): Promise<string> {
	const file = input['prompt-file'];
	const given = [input.prompt !== undefined, file !== undefined, input.stdin].filter(Boolean).length;
	if (given !== 1) throw new NancyError('bad-usage', 'give one of --prompt, --prompt-file and --stdin');
	if (file !== undefined) return readTextFile(resolve(context.cwd, file));
	return readText([input.prompt ?? '-'], context.stdin);
}
