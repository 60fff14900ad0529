import { benchActivation } from './activation.ts';
import { benchAgent } from './agent.ts';
import { benchDelegates } from './delegates.ts';
import { benchGuard } from './guard.ts';
import { benchStart } from './start.ts';
import { print, type Row } from './table.ts';
import { benchTraffic } from './traffic.ts';
import { benchViews } from './views.ts';

const parts: Readonly<Record<string, () => Promise<Row[]>>> = {
	activation: benchActivation,
	guard: benchGuard,
	agent: benchAgent,
	delegates: benchDelegates,
	start: benchStart,
	traffic: benchTraffic,
	views: benchViews,
};

const asked = process.argv.slice(2);
const rows: Row[] = [];
for (const [name, bench] of Object.entries(parts)) {
	if (asked.length > 0 && !asked.includes(name)) continue;
	process.stderr.write(`measuring ${name} …\n`);
	rows.push(...(await bench()));
}
print(rows);
