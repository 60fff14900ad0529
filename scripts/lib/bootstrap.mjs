// First import of every script. Works under Node 20 in a fresh clone, so it uses Node built-ins only: everything else
// is imported dynamically after `await bootstrap()`.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const binaries = join(root, 'node_modules', '.bin');
const MINIMUM_NODE = 24;

/** Installs the dependencies when they are missing or stale, then carries on under Node 24. */
export async function bootstrap() {
	process.chdir(root);
	endWithNpm();
	if (!dependenciesMatchLock()) installDependencies();
	const node = join(binaries, process.platform === 'win32' ? 'node.cmd' : 'node');
	if (existsSync(node) && realpathSync(node) !== realpathSync(process.execPath)) await continueUnder(node);
	else if (Number.parseInt(process.versions.node, 10) < MINIMUM_NODE) {
		console.error(
			`Node ${MINIMUM_NODE} or newer is needed here; this is ${process.versions.node}. See https://nodejs.org.`,
		);
		process.exit(1);
	}
	process.env.PATH = binaries + delimiter + process.env.PATH;
}

/** npm passes a signal on to the shell that runs the script, which ends without a word to us. */
function endWithNpm() {
	if (process.env.npm_lifecycle_event === undefined) return;
	const parent = process.ppid;
	const looking = setInterval(() => {
		if (process.ppid === parent) return;
		clearInterval(looking);
		process.kill(process.pid, 'SIGTERM');
	}, 500);
	looking.unref();
}

/** npm writes what it installed to node_modules/.package-lock.json; an optional package of another platform is absent. */
function dependenciesMatchLock() {
	const installed = join(root, 'node_modules', '.package-lock.json');
	if (!existsSync(installed)) return false;
	const packagesOf = file => JSON.parse(readFileSync(file, 'utf8')).packages;
	const present = packagesOf(installed);
	return Object.entries(packagesOf(join(root, 'package-lock.json'))).every(
		([folder, wanted]) =>
			folder === '' || (present[folder] ? present[folder].version === wanted.version : wanted.optional),
	);
}

/**
 * Not `npm ci`: it refuses a lock that lacks other platforms' optional packages, and a registry that mirrors late writes
 * such a lock. This takes the locked versions just the same and writes nothing but node_modules.
 */
export const INSTALL = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];

function installDependencies() {
	console.log('Installing dependencies');
	const { status } = spawnSync('npm', INSTALL, {
		cwd: root,
		stdio: ['ignore', 'inherit', 'inherit'],
		env: npmEnvironment(),
	});
	if (status !== 0) process.exit(status ?? 1);
}

async function continueUnder(node) {
	const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
	const code = await new Promise(resolve =>
		child.once('exit', (status, signal) => resolve(status ?? (signal ? 1 : 0))),
	);
	process.exit(code);
}

/** The environment for a nested npm: without what the outer `npm run` says about its own package. */
export function npmEnvironment() {
	const own = /^npm_(package_|lifecycle_|command$|config_local_prefix$|config_omit$)/;
	const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
	return { ...environment, npm_config_update_notifier: 'false', npm_config_audit: 'false', npm_config_fund: 'false' };
}
