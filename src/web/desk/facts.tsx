/** What is known of something, by name. A fact without a value is left out. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: string])[] }) {
	return (
		<dl class="facts">
			{of
				.filter(([, value]) => value !== '')
				.map(([name, value]) => (
					<div>
						<dt>{name}</dt>
						<dd>{value}</dd>
					</div>
				))}
		</dl>
	);
}
