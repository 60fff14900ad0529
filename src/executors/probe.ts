import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { SANDBOX_TRIAL } from '../process/bubblewrap.ts';
import { visibleLine } from '../base/visible.ts';
import type { Way } from './way.ts';

/** For a whole probe, in milliseconds: a first connection, and the versions of several CLIs. */
const PROBE_MS = 60_000;

/**
 * Runs on the other machine before there is a Nancy, and perhaps without Node. Its arguments are pairs of an agent and its command. It asks
 * each program for its version. What programs print may be anything, so it keeps only signs that JSON has no meaning for. A program that hangs
 * costs ten seconds where there is `timeout`. `loginctl show-session` without a session shows the manager's own properties.
 */
const SCRIPT = `
limit() { if command -v timeout >/dev/null 2>&1; then timeout 10 "$@"; else "$@"; fi; }
plain() { head -n 1 | tr -cd ' !#-[]-~' | cut -c 1-100; }
version() { command -v "$1" >/dev/null 2>&1 && { limit "$1" --version </dev/null 2>/dev/null | plain; }; }
login() { command -v loginctl >/dev/null 2>&1 && limit loginctl "$@" </dev/null 2>/dev/null | sed -n 's/^[A-Za-z]*=//p' | plain; }
fault() { command -v bwrap >/dev/null 2>&1 && { limit bwrap ${SANDBOX_TRIAL.join(' ')} </dev/null 2>&1 || echo 'it failed'; } | plain; }
agents=
while [ $# -gt 1 ]; do
	if command -v "$2" >/dev/null 2>&1; then agents="$agents\${agents:+,}{\\"id\\":\\"$1\\",\\"version\\":\\"$(version "$2")\\"}"; fi
	shift 2
done
free=$(df -Pk "$HOME" 2>/dev/null | awk 'NR == 2 { print $4 + 0 }')
printf 'NANCY {"node":"%s","git":"%s","agents":[%s],"freeKb":%s,"killsAtLogout":"%s","user":"%s","slurm":"%s","bubblewrap":"%s","sandboxFault":"%s"}\\n' \\
	"$(version node)" "$(version git)" "$agents" "\${free:-0}" \\
	"$(login show-session -p KillUserProcesses)" "$(id -u)" \\
	"$(command -v squeue >/dev/null 2>&1 && command -v scancel >/dev/null 2>&1 && version sbatch)" \\
	"$(version bwrap)" "$(fault)"
`;

const Answer = z.object({
	node: z.string(),
	git: z.string(),
	agents: z.array(z.object({ id: z.string(), version: z.string() })).check(z.maxLength(100)),
	freeKb: z.number(),
	killsAtLogout: z.string(),
	user: z.string(),
	slurm: z.string(),
	bubblewrap: z.string(),
	sandboxFault: z.string(),
});

/** What a machine has. Its texts are safe to show. */
export interface Probed {
	/** As `--version` prints it; empty if there is none. */
	node: string;
	git: string;
	agents: { id: string; version: string }[];
	/** In the home folder. */
	freeBytes: number;
	/** Version of Slurm's commands, as `sbatch --version` prints it; empty if some are not there. */
	slurm: string;
	/** As `bwrap --version` prints it; empty if there is none. */
	bubblewrap: string;
	/** Why it makes no sandbox; empty if it makes one, or is not there. */
	sandboxFault: string;
	/** Whether a delegate goes on after the last logout, as far as systemd's login manager tells. */
	survivesLogout: 'yes' | 'no' | 'unknown';
}

/**
 * Asks a machine what it has, and changes nothing there.
 * @param agents those to look for, with the command of each
 * @throws NancyError `timeout` with the words of `ssh` or the shell, `io` for an answer that is none
 */
export async function probe(way: Way, agents: readonly { id: string; command: string }[]): Promise<Probed> {
	const pairs = agents.flatMap(({ id, command }) => [id, command]);
	const parsed = Answer.safeParse(await way.ask(['sh', '-c', SCRIPT, 'nancy', ...pairs], '', PROBE_MS));
	if (!parsed.success) throw new NancyError('io', phrase`the answer of ${way.place} makes no sense`);
	const { node, git, slurm, bubblewrap, sandboxFault, freeKb, ...answer } = parsed.data;
	return {
		node: visibleLine(node),
		git: visibleLine(git),
		slurm: visibleLine(slurm),
		bubblewrap: visibleLine(bubblewrap),
		sandboxFault: visibleLine(sandboxFault),
		agents: answer.agents.flatMap(({ id, version }) =>
			agents.some(each => each.id === id) ? [{ id, version: visibleLine(version) }] : [],
		),
		freeBytes: Math.max(0, freeKb) * 1024,
		survivesLogout: survives(answer),
	};
}

/**
 * `KillUserProcesses` ends what a session has started, whether the user lingers or not: a delegate belongs to its session. Root is excluded by
 * default (logind.conf, `KillExcludeUsers`).
 */
function survives({
	killsAtLogout,
	user,
}: Pick<z.infer<typeof Answer>, 'killsAtLogout' | 'user'>): Probed['survivesLogout'] {
	if (killsAtLogout === 'no') return 'yes';
	if (killsAtLogout === 'yes') return user === '0' ? 'yes' : 'no';
	return 'unknown';
}
