/** What a device may do at the desk. Each one may do what the one before may, too. */
export const SCOPES = ['view', 'feedback', 'answer'] as const;
export type Scope = (typeof SCOPES)[number];

/** Whether a device with one scope may do what needs another. */
export function mayDo(has: Scope, needs: Scope): boolean {
	return SCOPES.indexOf(has) >= SCOPES.indexOf(needs);
}
