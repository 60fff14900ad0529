import { text } from 'node:stream/consumers';
import { errorText } from '../base/errors.ts';
import { visible } from '../base/visible.ts';
import { environmentOfTerminal } from '../core/driver/agentEnvironment.ts';
import { TALKED_WITH } from '../core/driver/stdio.ts';
import { acpAgents } from '../drivers/acp.ts';
import { stdioAgents } from '../drivers/stdio.ts';
import { speakerOf } from '../protocol/agentServer.ts';
import { DriverId } from '../protocol/names.ts';
import { AgentProcess } from './agentProcess.ts';
import type { Beginning, Conversation, Listener } from './conversation.ts';
import type { Talk } from './guarded.ts';
import { variablesOf } from './variablesOf.ts';

/**
 * A conversation with an agent in this terminal, or the turn of a delegate. Arguments: the driver, the launcher of hooks, the workspace folder,
 * the CLI, and the words of its launch.
 */
const [id = '', launcher = '', workspaceFolder = '', executable = '', ...words] = process.argv.slice(2);
const acp = acpAgents[speakerOf(id)];
const stdio = stdioAgents[speakerOf(id)];
const agent = acp ?? stdio;

const env = environmentOfTerminal(process.env);

/** An agent whose own hooks do all that they do in its own terminal. */
const BY_ITS_HOOKS = {
	steering: 'none',
	brokenOff: 'none',
	silent: 'none',
	turns: 'none',
	wakesItself: true,
} as const;

if (!agent) throw new Error(`${id} is no agent that Nancy talks with`);
const { args, prompt, resume, permissions } = agent.read(words);
if (permissions === undefined && !(process.stdin.isTTY && process.stdout.isTTY))
	throw new Error('a conversation needs a terminal');
/** Hooks of its own would tell the same once more: Set Up may have written some for it. */
const hooks = acp && acp.turns !== 'none' ? { NANCY_HOOKS: 'off' } : {};

variablesOf(id, { workspaceFolder, env })
	.then(own =>
		run({
			driver: DriverId.parse(id),
			acp: acp ?? { ...agent, ...BY_ITS_HOOKS },
			begin,
			place: { launcher, workspaceFolder, env },
			program: {
				executable,
				args,
				cwd: process.cwd(),
				env: { ...env, ...own, ...hooks, ...(stdio && { [TALKED_WITH]: String(process.pid) }) },
				sessions: acp?.sessions ?? 'own',
			},
			prompt,
			resume,
		}),
	)
	.then(
		// A runner that is busy may not have read its last line.
		() => process.stdout.write('', () => process.exit(0)),
		(error: unknown) => {
			process.stderr.write(`${visible(errorText(error))}\n`);
			process.exit(1);
		},
	);

/** Loads what talks: a terminal's program has much that a delegate does not need. */
async function run(talk: Talk): Promise<void> {
	if (permissions === undefined) return new (await import('./frontEnd.ts')).FrontEnd(talk).run();
	const { Unattended } = await import('./unattended.ts');
	return new Unattended(talk, permissions, line => void process.stdout.write(`${JSON.stringify(line)}\n`)).run(
		await text(process.stdin),
	);
}

/** Loads the protocol while the agent starts: its schemas take as long as half a start of Node. */
async function begin(beginning: Beginning, listener: Listener): Promise<Conversation> {
	const child = await AgentProcess.start(beginning);
	if (stdio) return (await import('./stdioConversation.ts')).StdioConversation.begin(child, stdio, listener);
	return (await import('./acpConversation.ts')).AcpConversation.begin(child, beginning, listener);
}
