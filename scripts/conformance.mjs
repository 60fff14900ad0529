// npm run conformance [-- --agent X]… [--newest] [--floors] [--talked] [words in names of cells…]: tries every ability on every real agent CLI
// and writes docs/conformance.md and docs/conformance.json. Ends with 1 when a driver claims what was not seen. With --floors it
// tries, in place of the pinned version, each version that an ability begins with, for the abilities that do, and on the oldest one
// also what needs no ability.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { bootstrap } from './lib/bootstrap.mjs';

await bootstrap();
const { installAgent, installNewest, installVersion } = await import('./lib/installAgent.mjs');
const { adapterIds, agentIds } = await import('../test/support/pinnedAgent.ts');

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		agent: { type: 'string', multiple: true },
		newest: { type: 'boolean', default: false },
		floors: { type: 'boolean', default: false },
		talked: { type: 'boolean', default: false },
	},
});
const unknown = (values.agent ?? []).filter(id => !agentIds.includes(id));
if (unknown.length > 0) throw new Error(`there is no ${unknown.join(', ')}; there are ${agentIds.join(', ')}`);
const newest = {};
for (const id of values.agent ?? agentIds) {
	await installAgent(id);
	// What is pinned is tried of what Nancy talks with.
	if (values.newest && !adapterIds.includes(id)) newest[id] = await installNewest(id);
	if (values.floors) for (const version of await floorsOf(id)) await installVersion(id, version);
}
const options = [
	...(values.agent ?? []).flatMap(id => ['--agent', id]),
	'--newest',
	JSON.stringify(newest),
	...(values.floors ? ['--floors'] : []),
	...(values.talked ? ['--talked'] : []),
];
const program = ['--experimental-transform-types', '--no-warnings', 'test/conformance/main.ts'];
process.exitCode =
	spawnSync(process.execPath, [...program, ...options, ...positionals], { stdio: 'inherit' }).status ?? 1;

/** The oldest version of this CLI, and those that an ability begins with. */
async function floorsOf(id) {
	const [{ agentsUnderTest }, { driverById }, { floorVersions }] = await Promise.all([
		import('../test/support/agents/index.ts'),
		import('../src/drivers/index.ts'),
		import('../test/conformance/floors.ts'),
	]);
	const driver = driverById(agentsUnderTest.find(agent => agent.id === id)?.driver ?? '');
	return driver ? floorVersions(driver) : [];
}
