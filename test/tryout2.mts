import { readdirSync, readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { agentLab } from './support/agentLab.ts';
import { claudeHome } from './support/claudeHome.ts';
import { localAgent } from './support/pinnedAgent.ts';
for (const version of process.argv.slice(2)) {
	const lab = await agentLab(o => claudeHome({ ...o, installed: localAgent('claude-code', version) }), { env: { IS_SANDBOX: '1' } });
	const hook = (e: string, m: string) => [{ hooks: [{ type: 'command', command: `echo '{"hookSpecificOutput":{"hookEventName":"${e}","additionalContext":"${m}"}}'` }] }];
	mkdirSync(lab.workspace.file('.claude'));
	const events = version > '2.1.118' || version === '2.1.118' ? ['UserPromptSubmit', 'PostToolUse', 'PostToolBatch'] : ['UserPromptSubmit', 'PostToolUse'];
	writeFileSync(lab.workspace.file('.claude/settings.json'), JSON.stringify({ hooks: Object.fromEntries(events.map(e => [e, hook(e, `MARK-${e}`)])) }));
	await lab.run(['-p', '[[sh:true]] [[text:ok]]', '--permission-mode', 'bypassPermissions']);
	const seen = events.filter(e => lab.model.requests.some(r => r.text.includes(`MARK-${e}`)));
	const root = join(lab.home, '.claude', 'projects');
	const text = readdirSync(root).flatMap(d => readdirSync(join(root, d)).filter(f => f.endsWith('.jsonl')).map(f => readFileSync(join(root, d, f), 'utf8'))).join('\n');
	console.log(version, 'model saw', seen.join(), '| record has', events.filter(e => text.split('\n').some(l => l.includes('hook_additional_context') && l.includes(`MARK-${e}`))).join());
	await lab[Symbol.asyncDispose]();
}
process.exit(0);
