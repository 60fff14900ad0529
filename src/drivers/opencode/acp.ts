import type { NamedAgent } from '../../core/driver/acp.ts';

/** `opencode acp`, as it names itself there. A second prompt is a part of the turn that runs. */
export const steeredByPrompt: NamedAgent = { name: 'OpenCode', oldestVersion: [1, 18, 33] };
