import { existsSync } from 'node:fs';
import { text as wholeText } from 'node:stream/consumers';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { errorText, NancyError } from '../base/errors.ts';
import { permit } from '../core/asker/permit.ts';
import { progress } from '../core/delegates/progress.ts';
import { StatusWriter } from '../core/delegates/statusWriter.ts';
import type { Driver } from '../core/driver/driver.ts';
import { Workspace } from '../core/workspace/workspace.ts';
import { isolated } from '../delegates/isolation.ts';
import { failedStep, marked } from '../executors/ask.ts';
import { JobFiles } from '../executors/jobFiles.ts';
import { runOnce } from '../executors/jobRun.ts';
import { gitOf, steps, workingFolderThere } from '../executors/there.ts';
import { commitThere } from '../git/repositoryThere.ts';
import * as operations from '../operations/index.ts';
import { perform } from '../operations/operation.ts';
import { programContext } from '../operations/shared/programContext.ts';
import type { HeadlessProgram } from '../process/headlessRun.ts';
import { DelegateStatus, type DelegateId } from '../protocol/delegate.ts';
import type { RemoteEnd, RemoteJob } from '../protocol/remoteJob.ts';
import type { Context } from './command.ts';
import { hooksThere } from './remoteHooks.ts';
import { ExitCode } from './failure.ts';
import { withCancel } from './withCancel.ts';

/** The longest answer that is sent back whole, in UTF-16 units: the other side reads it in one piece. */
const LONGEST_OUTPUT = 1024 * 1024;

const CANCELLED: RemoteEnd = { ok: false, reason: 'cancelled', output: '' };

/** A step of a delegate that another machine has sent here. Prints one marked line, also of a failure. */
export async function remoteStep(name: string, job: DelegateId | undefined, context: Context): Promise<number> {
	permit(context.asker, { is: 'do-step' });
	if (name === 'run' && job !== undefined) return runThere(job, context);
	try {
		const step = Object.hasOwn(steps, name) ? steps[name] : undefined;
		if (!step) throw new NancyError('bad-usage', `there is no step "${name}"`);
		const input = JSON.parse(await wholeText(context.stdin));
		await context.send(marked(await step(z.unknown().parse(input), context.program)));
	} catch (error) {
		await context.send(marked(failedStep(error)));
	}
	return ExitCode.ok;
}

/** Runs a job to its end, which is written last. */
async function runThere(id: DelegateId, context: Context): Promise<number> {
	const files = new JobFiles(id);
	await withCancel(signal => runOnce(files, signal, (job, stop) => endOf(job, files, stop, context)));
	return ExitCode.ok;
}

async function endOf(job: RemoteJob, files: JobFiles, signal: AbortSignal, context: Context): Promise<RemoteEnd> {
	try {
		const folder = await workingFolderThere(job, files);
		const isCancelled = existsSync(files.cancelled) || signal.aborted;
		const { ok, reason, output } = isCancelled ? CANCELLED : await run(job, folder, files, signal, context);
		// An answer is kept without its work. Whoever collects that has it committed again, and learns why it cannot be.
		const tip = await commitThere(gitOf(job)).catch(() => undefined);
		return { ok, output: shortened(output), reason, tip };
	} catch (error) {
		return { ok: false, reason: errorText(error), output: '' };
	}
}

function shortened(output: string): string {
	const excess = output.length - LONGEST_OUTPUT;
	return excess > 0 ? `${output.slice(0, LONGEST_OUTPUT)}\n[… ${excess} characters left out …]` : output;
}

async function run(job: RemoteJob, folder: string, files: JobFiles, signal: AbortSignal, context: Context) {
	const status = DelegateStatus.parse({ task_id: job.id, status: 'running', iteration: 1 });
	const writer = new StatusWriter(status, now => files.writeStatus(now));
	const workspace = new Workspace(files.folder);
	const { agent, model, permissions, prompt, wallSeconds, idleSeconds, isolate, mailbox: address } = job;
	const where = {
		...programContext(workspace, context),
		show: (line: string) => sayIfPossible(files, line),
		onEvent: (event: Parameters<typeof progress>[1]) => writer.change(progress(status, event, {})),
		signal,
	};
	const limits = { wallSeconds, idleSeconds };
	try {
		const hooks = await hooksThere(job, files.folder, context);
		const asked = { prompt, folder, agent, model, permissions, extra: hooks?.extra ?? [], limits };
		const recorded = hooks && { recorded: hooks.recorded };
		const bin = join(dirname(context.program), 'bin');
		const { own: repository, shared } = gitOf(job);
		const named = [...(hooks?.settings ?? []), shared];
		const place = { workspace, address, bin, isInWorktree: true, named, repository, env: context.env };
		const sandbox = isolate && {
			isolate: (program: HeadlessProgram, driver: Driver) => isolated(isolate, program, { ...place, driver }),
		};
		const around = { ...where, ...recorded, ...sandbox };
		return (await perform(await operations.run(), context.asker, asked, around)).run;
	} finally {
		await writer.close();
		await files.writeStatus(status).catch(() => undefined);
	}
}

/** The log is only for people. A disk that refuses it must not end the run. */
function sayIfPossible(files: JobFiles, line: string): void {
	try {
		files.appendLog(line);
	} catch {
		// The line is lost.
	}
}
