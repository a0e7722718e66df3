stage:
	rm -rf build/stage && mkdir -p build/stage && cp -r mempalace build/stage/ && rm build/stage/mempalace/layers.py && cp -r layers build/stage/mempalace/layers
