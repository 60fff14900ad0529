import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bareEnvironment, type AgentHome, type AgentHomeOptions } from './agentHome.ts';
import { pinnedAgent } from './pinnedAgent.ts';

/** Gemini CLI with an API key and the double as its API. `settings` replace top-level keys of ~/.gemini/settings.json. */
export function geminiHome({ home, trusted, modelUrl, settings = {}, installed }: AgentHomeOptions): AgentHome {
	const { version, executable } = installed ?? pinnedAgent('gemini');
	const own = join(home, '.gemini');
	mkdirSync(own, { recursive: true });
	const base = {
		security: { auth: { selectedType: 'gemini-api-key' } },
		general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
		privacy: { usageStatisticsEnabled: false },
		ui: { hideTips: true },
	};
	writeFileSync(join(own, 'settings.json'), JSON.stringify({ ...base, ...settings }));
	writeFileSync(
		join(own, 'trustedFolders.json'),
		JSON.stringify(Object.fromEntries(trusted.map(each => [realpathSync(each), 'TRUST_FOLDER']))),
	);
	return {
		agent: 'gemini',
		version,
		command: executable,
		home,
		env: { ...bareEnvironment(home), GEMINI_API_KEY: 'key-of-the-model-double', GOOGLE_GEMINI_BASE_URL: modelUrl },
		headless: prompt => ['-p', prompt],
		unattended: ['--approval-mode', 'yolo'],
		interactive: [],
		ready: /Type your message/,
	};
}
