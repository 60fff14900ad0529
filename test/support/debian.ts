import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Programs of Debian's that tests start, and the packages that bring them. */
const TOOLS = {
	ssh: { programs: ['/usr/sbin/sshd', '/usr/bin/ssh'], packages: ['openssh-server', 'openssh-client'] },
	slurm: {
		programs: ['/usr/sbin/munged', '/usr/sbin/slurmctld', '/usr/sbin/slurmd', '/usr/bin/sbatch'],
		packages: ['slurmctld', 'slurmd', 'slurm-client', 'munge'],
	},
} as const;
type Tool = keyof typeof TOOLS;

/** Chromium's program without windows. VS Code and the desk's page take a fifth to a third less processor time in it. */
export const CHROMIUM_SHELL = '/usr/bin/chromium-headless-shell';
const CHROMIUMS = [
	CHROMIUM_SHELL,
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** A Chromium that Playwright can drive: the one that `$CHROMIUM` names, or the first that is here. */
export function chromiumHere(): string | undefined {
	return [process.env['CHROMIUM'], ...CHROMIUMS].find(file => file !== undefined && existsSync(file));
}

/** The packages of these tools that are missing. */
export function missingPackages(tools: readonly Tool[] = ['ssh', 'slurm']): string[] {
	return tools
		.filter(tool => !TOOLS[tool].programs.every(file => existsSync(file)))
		.flatMap(tool => TOOLS[tool].packages);
}

/** A call of `apt-get` for a shell. One at a time runs, also of those that other tests make: `apt-get` itself is the file that is locked. */
export function alone(script: string, ...args: readonly string[]) {
	return {
		command: 'flock',
		args: ['/usr/bin/apt-get', 'sh', '-c', script, 'apt-get', ...args],
		env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
	};
}

/** The call that installs packages. */
export function installCall(packages: readonly string[]) {
	return alone('apt-get update -qq && exec apt-get install -y -qq --no-install-recommends "$@"', ...packages);
}

/**
 * Installs what is missing of a tool, as root on Debian. `npm test` has done it before its tests begin.
 * @throws Error with the packages, where that cannot be
 */
export function installTool(tool: Tool): void {
	const packages = missingPackages([tool]);
	if (packages.length === 0) return;
	const { command, args, env } = installCall(packages);
	try {
		execFileSync(command, args, { stdio: 'ignore', env });
	} catch (error) {
		throw new Error(`${tool} is missing: install ${packages.join(', ')}`, { cause: error });
	}
}
