import { spawnSync } from 'node:child_process';
import { benchActivation } from './activation.ts';
import { benchAgent } from './agent.ts';
import { benchConversations } from './conversations.ts';
import { benchDelegates } from './delegates.ts';
import { benchExecutors } from './executors.ts';
import { benchGuard } from './guard.ts';
import { benchMemory } from './memory.ts';
import { benchPage } from './page.ts';
import { benchQuestions } from './questions.ts';
import { benchServer } from './server.ts';
import { benchStart } from './start.ts';
import { print, type Row } from './table.ts';
import { benchTraffic } from './traffic.ts';
import { benchViews } from './views.ts';

const parts: Readonly<Record<string, () => Promise<Row[]>>> = {
	activation: benchActivation,
	guard: benchGuard,
	agent: benchAgent,
	conversations: benchConversations,
	delegates: benchDelegates,
	executors: benchExecutors,
	memory: benchMemory,
	page: benchPage,
	questions: benchQuestions,
	server: benchServer,
	start: benchStart,
	traffic: benchTraffic,
	views: benchViews,
};

const asked = process.argv.slice(2);
const unknown = asked.find(name => !parts[name]);
if (unknown !== undefined) throw new Error(`there is no part ${unknown}; there are ${Object.keys(parts).join(', ')}`);
const [only] = asked;
if (only !== undefined && asked.length === 1) {
	process.stderr.write(`measuring ${only} …\n`);
	print((await parts[only]?.()) ?? []);
} else {
	// Each in a process of its own: what one leaves in memory would cost the next.
	for (const name of asked.length > 0 ? asked : Object.keys(parts)) {
		const args = [...process.execArgv, import.meta.filename, name];
		process.exitCode ||= spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
	}
}
