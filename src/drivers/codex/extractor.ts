import type { Extractor } from '../../core/driver/extractor.ts';
import { ownFile, question } from '../extraction.ts';
import { headless } from './headless.ts';
import { toml } from './flags.ts';
import { serverNames } from './mcpServers.ts';

/** What would offer the model tools, run hooks, or write memories (measured with 0.169.0). */
const FEATURES = [
	'shell_tool',
	'unified_exec',
	'goals',
	'multi_agent',
	'view_image',
	'skill_search',
	'image_generation',
	'tool_suggest',
	'apps',
	'plugins',
	'browser_use',
	'computer_use',
	'sleep_tool',
	'hooks',
	'memories',
	'shell_snapshot',
];

export const extractor: Extractor = {
	launch: request => {
		const { rules, schema, model, env } = request;
		const [instructions, form] = [ownFile(request, 'md', rules), ownFile(request, 'json', JSON.stringify(schema))];
		const servers = Object.fromEntries(serverNames(env).map(name => [name, { enabled: false }]));
		return {
			args: [
				'exec',
				'--json',
				'--skip-git-repo-check',
				'--ephemeral',
				'--ignore-rules',
				'--sandbox=read-only',
				`--output-schema=${form.path}`,
				...(model === undefined ? [] : ['--model', model]),
				...FEATURES.map(feature => `--disable=${feature}`),
				...[
					`model_instructions_file=${toml(instructions.path)}`,
					'developer_instructions=""',
					'project_doc_max_bytes=0',
					'web_search="disabled"',
					'include_permissions_instructions=false',
					'include_environment_context=false',
					'skills.include_instructions=false',
					'model_reasoning_effort="low"',
					`mcp_servers=${toml(servers)}`,
				].flatMap(setting => ['-c', setting]),
				'-',
			],
			stdin: question(request),
			env: {},
			files: [instructions, form],
			sessionIsKnown: false,
		};
	},
	reader: () => headless.reader(),
};
