// Shows notifications, and leads from one to the page. It keeps no copy of anything and answers no request.
self.addEventListener('notificationclick', event => {
	event.notification.close();
	event.waitUntil(
		self.clients
			.matchAll({ type: 'window', includeUncontrolled: true })
			.then(([page]) => (page ? page.focus() : self.clients.openWindow('./'))),
	);
});
