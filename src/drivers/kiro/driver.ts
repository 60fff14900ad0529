import type { Version } from '../../base/version.ts';
import type { Driver } from '../../core/driver/driver.ts';
import { headlessBy } from '../acp/headless.ts';
import { LACKS, talkedWith } from '../acp/server.ts';
import { floorsSince } from '../floors.ts';
import { launch } from './launch.ts';
import { program } from './program.ts';

/** The first version with `kiro-cli acp`, by kiro.dev/changelog/cli/1-25. */
const OLDEST: Version = [1, 25, 0];

const talked = talkedWith(program.id, 'Kiro');

/** Kiro CLI, which Nancy talks with over the Agent Client Protocol alone. Made from documents and reports: see docs/agents/kiro.md. */
export const kiro: Driver = {
	...talked,
	...program,
	namedBy: 'nancy',
	knownFrom: 'documents',
	versionArgs: ['--version'],
	oldestVersion: OLDEST,
	floors: floorsSince(OLDEST, LACKS),
	limits: {
		...talked.limits,
		skills: 'Nobody has tried which skills Kiro reads, and Nancy writes none.',
		resume: 'By reports, Kiro does not load a conversation whose process was killed, and may end or never answer when it does not know one: Nancy then says so, and you start another worker.',
		worktree: 'Kiro works in the workspace’s own folder alone: nothing else was tried.',
		tools: 'Nobody has tried whether Kiro asks before it calls a tool of an MCP server, and Nancy gives it none.',
	},
	installHint: 'Install it as https://kiro.dev/docs/cli/installation says.',
	launch,
	headless: headlessBy(launch),
	moduleSettings: [],
	executableSettings: ['.kiro', '.amazonq'],
};
