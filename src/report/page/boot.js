const data = JSON.parse(document.getElementById('data').textContent);
window.rehearsePage = data.served ? new Served(data) : data.targets ? new Targets(data) : new Page(data);
