import { errorText } from '../base/errors.ts';
import { visible } from '../base/visible.ts';
import { environmentOfTerminal } from '../core/driver/agentEnvironment.ts';
import { acpAgents } from '../drivers/acp.ts';
import { speakerOf } from '../protocol/agentServer.ts';
import { DriverId } from '../protocol/names.ts';
import { FrontEnd } from './frontEnd.ts';
import { variablesOf } from './variablesOf.ts';

/**
 * A conversation with an agent in this terminal. Arguments: the driver, the launcher of hooks, the workspace folder, the CLI, and the words of
 * its launch.
 */
const [id = '', launcher = '', workspaceFolder = '', executable = '', ...words] = process.argv.slice(2);
const acp = acpAgents[speakerOf(id)];

const env = environmentOfTerminal(process.env);

if (!acp) throw new Error(`${id} is no agent that Nancy talks with`);
if (!process.stdin.isTTY || !process.stdout.isTTY) throw new Error('a conversation needs a terminal');
const { args, prompt, resume } = acp.read(words);
/** Hooks of its own would tell the same once more: Set Up may have written some for it. */
const hooks = acp.turns === 'none' ? {} : { NANCY_HOOKS: 'off' };

variablesOf(id, { workspaceFolder, env })
	.then(own =>
		new FrontEnd({
			driver: DriverId.parse(id),
			acp,
			place: { launcher, workspaceFolder, env },
			program: {
				executable,
				args,
				cwd: process.cwd(),
				env: { ...env, ...own, ...hooks },
				sessions: acp.sessions,
			},
			prompt,
			resume,
		}).run(),
	)
	.then(
		() => process.exit(0),
		(error: unknown) => {
			process.stderr.write(`${visible(errorText(error))}\n`);
			process.exit(1);
		},
	);
