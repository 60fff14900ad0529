import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bareEnvironment, type AgentHome, type AgentHomeOptions } from './agentHome.ts';
import { pinnedAgent } from './pinnedAgent.ts';

/** Qwen Code with the double as an OpenAI service. `settings` replace top-level keys of ~/.qwen/settings.json. */
export function qwenHome({ home, trusted, modelUrl, settings = {}, installed }: AgentHomeOptions): AgentHome {
	const { version, executable } = installed ?? pinnedAgent('qwen');
	const own = join(home, '.qwen');
	mkdirSync(own, { recursive: true });
	const base = {
		security: { auth: { selectedType: 'openai' } },
		general: { enableAutoUpdate: false },
		privacy: { usageStatisticsEnabled: false },
		ui: { hideTips: true, enableFollowupSuggestions: false },
		// After a turn it would ask the model what to remember, and above what to do next.
		memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false, enableAutoSkill: false },
	};
	writeFileSync(join(own, 'settings.json'), JSON.stringify({ ...base, ...settings }));
	writeFileSync(
		join(own, 'trustedFolders.json'),
		JSON.stringify(Object.fromEntries(trusted.map(each => [realpathSync(each), 'TRUST_FOLDER']))),
	);
	return {
		agent: 'qwen',
		version,
		command: executable,
		home,
		env: {
			...bareEnvironment(home),
			OPENAI_API_KEY: 'key-of-the-model-double',
			OPENAI_BASE_URL: `${modelUrl}/v1`,
			OPENAI_MODEL: 'double',
		},
		headless: prompt => ['-p', prompt],
		unattended: ['--approval-mode', 'yolo'],
		interactive: [],
		ready: /Type your message/,
	};
}
