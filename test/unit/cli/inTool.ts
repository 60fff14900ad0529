import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { identify } from '../../../src/base/liveness.ts';
import { sealStart, type AgentOf } from '../../../src/core/sessions/sealedAgents.ts';
import type { NancyCommand, Outcome } from './nancyCommand.ts';

export interface Below {
	cwd: string;
	/** Where the process of the agent's CLI works. */
	cliIn?: string;
	/** What the process of the agent's CLI is called. */
	name?: string;
	/** Nancy has started that process as this worker. */
	startedAs?: AgentOf;
	/** Environment of that process. */
	env?: Record<string, string>;
}

/** A line of shell in a tool of an agent: `nancy` is the command, and the shell has the agent's CLI above it. */
export async function callInTool(
	nancy: NancyCommand,
	line: string,
	{ cwd, cliIn = cwd, name = 'claude', startedAs, env = {} }: Below,
): Promise<Outcome> {
	const tool = `nancy() { '${process.execPath}' '${nancy.program}' "$@"; }; cd '${cwd}'; ${line}\nexit $?`;
	const cli = `bash -c "$TOOL"; exit $?`;
	const child = spawn('bash', ['-c', `exec -a '${name}' bash -c "$CLI"`], {
		cwd: cliIn,
		env: nancy.environment({ ...env, CLI: cli, TOOL: tool }),
	});
	if (startedAs) sealStart(join(nancy.dataFolder, 'nancy'), identify(child.pid ?? 0), startedAs);
	const outcome: Outcome = { code: null, stdout: '', stderr: '' };
	child.stdout.setEncoding('utf8').on('data', (text: string) => (outcome.stdout += text));
	child.stderr.setEncoding('utf8').on('data', (text: string) => (outcome.stderr += text));
	child.stdin.end();
	await once(child, 'close');
	return { ...outcome, code: child.exitCode };
}
